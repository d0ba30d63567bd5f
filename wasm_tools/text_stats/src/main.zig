//! Counts of a text: characters, words, lines, and how often something occurs in it.

const std = @import("std");
const mm = @import("mm");

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "text_stats",
    .description =
    \\Count the characters, words, sentences and lines of a text, and how often `find` (a letter, a word) occurs in it and where. Do not count by eye.
    ,
    .schema =
    \\{"type":"object","properties":{"text":{"type":"string"},"find":{"type":"string"},"ignore_case":{"type":"boolean"}},"required":["text"],"additionalProperties":false}
    ,
    .run = count,
}};

comptime {
    mm.exportTools(&tools);
}

/// Places of what is found that are named.
const max_places = 20;
/// Frequent words that are named.
const max_words = 5;

const Counts = struct {
    characters: i64 = 0,
    spaces: i64 = 0,
    words: i64 = 0,
    sentences: i64 = 0,
    lines: i64 = 0,
};

fn count(call: *mm.Call) mm.Error![]const u8 {
    const text = try call.text("text");
    const counts = counted(text);
    const basics = try call.join(&.{
        "characters: ",            try call.decimal(counts.characters),
        " (without white space: ", try call.decimal(counts.characters - counts.spaces),
        ", bytes: ",               try call.decimal(@intCast(text.len)),
        ")\nwords: ",              try call.decimal(counts.words),
        "\nsentences: ",           try call.decimal(counts.sentences),
        "\nlines: ",               try call.decimal(counts.lines),
    });
    const frequent = try frequentWords(call, text);
    const wanted = try call.optionalText("find") orelse "";
    const found = if (wanted.len > 0) try occurrences(call, text, wanted) else "";
    return call.join(&.{ basics, frequent, found });
}

fn counted(text: []const u8) Counts {
    var counts: Counts = .{};
    var is_inside = false;
    var has_words_since_end = false;
    for (text, 0..) |byte, i| {
        // All but the first byte of a character begin with the bits 10.
        if (byte & 0xc0 != 0x80) counts.characters += 1;
        const is_space = std.ascii.isWhitespace(byte);
        if (is_space) counts.spaces += 1;
        if (!is_space and !is_inside) {
            counts.words += 1;
            has_words_since_end = true;
        }
        is_inside = !is_space;
        const is_end = byte == '.' or byte == '!' or byte == '?';
        const is_followed = i + 1 < text.len and !std.ascii.isWhitespace(text[i + 1]) and text[i + 1] != '"';
        if (is_end and !is_followed and has_words_since_end) {
            counts.sentences += 1;
            has_words_since_end = false;
        }
        if (byte == '\n') counts.lines += 1;
    }
    if (has_words_since_end) counts.sentences += 1;
    if (text.len > 0 and text[text.len - 1] != '\n') counts.lines += 1;
    return counts;
}

const Frequency = struct { word: []const u8, times: i64 };

fn frequentWords(call: *mm.Call, text: []const u8) mm.Error![]const u8 {
    var known: std.StringArrayHashMapUnmanaged(i64) = .empty;
    var longest: []const u8 = "";
    var words = std.mem.tokenizeAny(u8, text, " \t\r\n");
    while (words.next()) |raw| {
        const word = try lower(call, std.mem.trim(u8, raw, ".,;:!?\"'()[]{}<>*_`"));
        if (word.len == 0) continue;
        if (characters(word) > characters(longest)) longest = word;
        const entry = try known.getOrPutValue(call.arena, word, 0);
        entry.value_ptr.* += 1;
    }
    if (longest.len == 0) return "";
    var out: std.ArrayList([]const u8) = .empty;
    try out.appendSlice(call.arena, &.{ "\nlongest word: ", longest, " (", try call.decimal(characters(longest)), ")\nmost frequent words:" });
    for (0..max_words) |_| {
        var best: usize = 0;
        for (known.values(), 0..) |times, i| {
            if (times > known.values()[best]) best = i;
        }
        if (known.values()[best] == 0) break;
        try out.appendSlice(call.arena, &.{ " ", known.keys()[best], " ", try call.decimal(known.values()[best]), "," });
        known.values()[best] = 0;
    }
    const line = try call.join(out.items);
    return line[0 .. line.len - 1];
}

fn occurrences(call: *mm.Call, text: []const u8, wanted: []const u8) mm.Error![]const u8 {
    const ignore_case = call.flag("ignore_case");
    const where = if (ignore_case) try lower(call, text) else text;
    const what = if (ignore_case) try lower(call, wanted) else wanted;
    var places: std.ArrayList([]const u8) = .empty;
    var times: i64 = 0;
    var at: usize = 0;
    var passed: usize = 0;
    var character: i64 = 1;
    while (std.mem.indexOfPos(u8, where, at, what)) |found| {
        times += 1;
        character += characters(where[passed..found]);
        passed = found;
        if (times <= max_places) {
            try places.appendSlice(call.arena, &.{ if (times == 1) ", at character " else ", ", try call.decimal(character) });
        }
        at = found + what.len;
    }
    if (times > max_places) try places.append(call.arena, ", ...");
    const ending = if (times == 1) " time" else " times";
    return call.join(&.{ "\n\"", wanted, "\": ", try call.decimal(times), ending, try call.join(places.items) });
}

fn characters(text: []const u8) i64 {
    var total: i64 = 0;
    for (text) |byte| {
        if (byte & 0xc0 != 0x80) total += 1;
    }
    return total;
}

/// Return ASCII letters and those of Latin, Greek and Cyrillic of two bytes in small.
fn lower(call: *mm.Call, text: []const u8) mm.Error![]const u8 {
    const out = try std.ascii.allocLowerString(call.arena, text);
    for (out[0..out.len -| 1], out[1..]) |*first, *second| {
        const pair = @as(u16, first.*) << 8 | second.*;
        const small: u16 = switch (pair) {
            // Latin-1 À-Þ without the sign ×.
            0xc380...0xc396, 0xc398...0xc39e => pair + 0x20,
            // Greek Α-Ο, Π-Ω; Cyrillic А-П, Р-Я.
            0xce91...0xce9f => pair + 0x20,
            0xcea0...0xcea9 => pair + 0xe0,
            0xd090...0xd09f => pair + 0x20,
            0xd0a0...0xd0af => pair + 0xe0,
            else => pair,
        };
        first.* = @intCast(small >> 8);
        second.* = @intCast(small & 0xff);
    }
    return out;
}
