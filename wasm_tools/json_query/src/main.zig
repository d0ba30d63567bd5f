//! Parts of a JSON document by a path, and sums and counts of them.

const std = @import("std");
const mm = @import("mm");
const Query = @import("query.zig").Query;
const reduce = @import("reduce.zig");

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "json_query",
    .description =
    \\Get parts of a JSON document. query: .a.b, [0], [-1], [1:3], [] (each), ..name (at any depth), [?price > 10 && kind == "x"]; then | length, keys, sum, mean, min, max, sort, unique, type. Example: .orders[?paid == true].total | sum
    ,
    .schema =
    \\{"type":"object","properties":{"json":{"type":["string","object","array"]},"query":{"type":"string"}},"required":["json","query"],"additionalProperties":false}
    ,
    .run = run,
}};

comptime {
    mm.exportTools(&tools);
}

/// Results that are shown.
const max_results = 200;

fn run(call: *mm.Call) mm.Error![]const u8 {
    const given = call.arguments.get("json") orelse return call.fail(&.{"`json` is missing"});
    const document = if (given == .string) try parsed(call, given.string) else given;
    var query: Query = .{ .call = call, .text = try call.text("query") };
    const found = try query.run(document);
    if (found.len == 0) return call.join(&.{ "nothing is there", try hint(call, document) });
    var out: std.ArrayList(u8) = .empty;
    for (found[0..@min(found.len, max_results)], 0..) |value, i| {
        if (i > 0) try out.append(call.arena, '\n');
        try mm.json.write(&out, call.arena, value);
    }
    if (found.len > max_results) {
        const left = try call.decimal(@intCast(found.len - max_results));
        return call.join(&.{ out.items, "\n(", left, " more; add | length, or a filter)" });
    }
    return out.items;
}

fn parsed(call: *mm.Call, text: []const u8) mm.Error!mm.json.Value {
    var where: usize = 0;
    return mm.json.parse(call.arena, text, &where) catch |failure| switch (failure) {
        error.OutOfMemory => error.OutOfMemory,
        error.NotJson => {
            const start = where -| 20;
            const end = @min(where + 20, text.len);
            return call.fail(&.{ "`json` is not JSON: mistake at character ", try call.decimal(@intCast(where + 1)), ", near ", text[start..end] });
        },
    };
}

/// Say what there is, so that the next query is right.
fn hint(call: *mm.Call, document: mm.json.Value) mm.Error![]const u8 {
    if (document == .array) return call.join(&.{ "; the document is an array of ", try call.decimal(@intCast(document.array.len)) });
    if (document != .object) return "";
    var names: std.ArrayList([]const u8) = .empty;
    try names.append(call.arena, "; the document has the keys");
    for (document.object[0..@min(document.object.len, 20)], 0..) |member, i| {
        try names.appendSlice(call.arena, &.{ if (i > 0) ", " else " ", member.name });
    }
    return call.join(names.items);
}
