//! The path language: steps that lead from values to values.

const std = @import("std");
const mm = @import("mm");
const Value = mm.json.Value;
const reduce = @import("reduce.zig");

const List = std.ArrayList(Value);
/// Values that a step may bring.
const max_values = 200_000;
const max_depth = 20;

pub const Query = struct {
    call: *mm.Call,
    text: []const u8,
    at: usize = 0,
    depth: usize = 0,

    pub fn run(self: *Query, document: Value) mm.Error![]const Value {
        self.space();
        // `$` is the document in other path languages.
        _ = self.take("$");
        var values = try self.path(&.{document});
        while (self.take("|")) {
            self.space();
            if (self.peek() != '.' and self.peek() != '[') values = try reduce.apply(self.call, self.word(), values);
            self.space();
            if (self.peek() == '.' or self.peek() == '[') values = try self.path(values);
        }
        if (self.at < self.text.len) return self.unexpected();
        return values;
    }

    /// Follow the steps of a path from each of `start`.
    fn path(self: *Query, start: []const Value) mm.Error![]const Value {
        var values = start;
        self.space();
        if (isNameByte(self.peek())) values = try self.members(values, self.word());
        while (true) {
            if (self.take("..")) {
                values = try self.everywhere(values, try self.name());
            } else if (self.take(".")) {
                if (self.peek() == '[' or self.peek() == '|' or self.peek() == 0 or self.peek() == ' ') continue;
                values = if (self.take("*")) try self.each(values) else try self.members(values, try self.name());
            } else if (self.take("[")) {
                values = try self.bracket(values);
            } else break;
            if (values.len > max_values) return self.call.fail(&.{"too many values; filter earlier"});
        }
        self.space();
        return values;
    }

    fn bracket(self: *Query, values: []const Value) mm.Error![]const Value {
        self.space();
        if (self.take("]")) return self.each(values);
        if (self.take("*")) {
            try self.expect("]");
            return self.each(values);
        }
        if (self.take("?")) {
            const start = self.at;
            var kept: List = .empty;
            const items = try self.each(values);
            // The condition is read once for each value; without values once to pass it.
            if (items.len == 0) _ = try self.condition(.null);
            for (items) |item| {
                self.at = start;
                if (try self.condition(item)) try kept.append(self.call.arena, item);
            }
            try self.expect("]");
            return kept.items;
        }
        if (self.peek() == '"' or self.peek() == '\'') {
            const key = try self.name();
            try self.expect("]");
            return self.members(values, key);
        }
        const first = self.number();
        self.space();
        if (!self.take(":")) {
            const index = first orelse return self.unexpected();
            try self.expect("]");
            return self.indexed(values, index);
        }
        const last = self.number();
        try self.expect("]");
        return self.slices(values, first orelse 0, last);
    }

    fn members(self: *Query, values: []const Value, key: []const u8) mm.Error![]const Value {
        var found: List = .empty;
        for (values) |value| {
            if (value.get(key)) |member| {
                try found.append(self.call.arena, member);
            } else if (value == .array) {
                // Whoever asks an array for a name means those of its items.
                for (value.array) |item| {
                    if (item.get(key)) |member| try found.append(self.call.arena, member);
                }
            }
        }
        return found.items;
    }

    fn everywhere(self: *Query, values: []const Value, key: []const u8) mm.Error![]const Value {
        var found: List = .empty;
        for (values) |value| try self.collect(&found, value, key);
        return found.items;
    }

    fn collect(self: *Query, found: *List, value: Value, key: []const u8) mm.Error!void {
        switch (value) {
            .array => |inner| for (inner) |item| try self.collect(found, item, key),
            .object => |inner| for (inner) |member| {
                if (std.mem.eql(u8, member.name, key)) try found.append(self.call.arena, member.value);
                try self.collect(found, member.value, key);
            },
            else => {},
        }
    }

    fn each(self: *Query, values: []const Value) mm.Error![]const Value {
        var found: List = .empty;
        for (values) |value| {
            switch (value) {
                .array => |inner| try found.appendSlice(self.call.arena, inner),
                .object => |inner| for (inner) |member| try found.append(self.call.arena, member.value),
                else => {},
            }
        }
        return found.items;
    }

    fn indexed(self: *Query, values: []const Value, index: i64) mm.Error![]const Value {
        var found: List = .empty;
        for (values) |value| {
            if (value != .array) continue;
            const length: i64 = @intCast(value.array.len);
            const at = if (index < 0) length + index else index;
            if (at >= 0 and at < length) try found.append(self.call.arena, value.array[@intCast(at)]);
        }
        return found.items;
    }

    fn slices(self: *Query, values: []const Value, first: i64, last: ?i64) mm.Error![]const Value {
        var found: List = .empty;
        for (values) |value| {
            if (value != .array) continue;
            const start = place(first, value.array.len);
            const end = if (last) |bound| place(bound, value.array.len) else value.array.len;
            if (start < end) try found.appendSlice(self.call.arena, value.array[start..end]);
        }
        return found.items;
    }

    // Conditions.

    fn condition(self: *Query, item: Value) mm.Error!bool {
        self.depth += 1;
        defer self.depth -= 1;
        if (self.depth > max_depth) return self.call.fail(&.{"too many brackets inside of each other"});
        var result = try self.both(item);
        while (self.takeWord("or") or self.take("||")) {
            const other = try self.both(item);
            result = result or other;
        }
        return result;
    }

    fn both(self: *Query, item: Value) mm.Error!bool {
        var result = try self.comparison(item);
        while (self.takeWord("and") or self.take("&&")) {
            const other = try self.comparison(item);
            result = result and other;
        }
        return result;
    }

    fn comparison(self: *Query, item: Value) mm.Error!bool {
        self.space();
        if (self.take("!") or self.takeWord("not")) return !try self.comparison(item);
        if (self.take("(")) {
            const result = try self.condition(item);
            try self.expect(")");
            return result;
        }
        const left = try self.operand(item);
        self.space();
        for ([_][]const u8{ "==", "!=", "<=", ">=", "<", ">", "=" }) |sign| {
            if (!self.take(sign)) continue;
            const right = try self.operand(item);
            return reduce.compare(self.call, left, sign, right);
        }
        if (self.takeWord("contains")) return reduce.contains(left, try self.operand(item));
        // Alone it asks whether it is there.
        const value = left orelse return false;
        return value != .null and !(value == .bool and !value.bool);
    }

    fn operand(self: *Query, item: Value) mm.Error!?Value {
        self.space();
        const first = self.peek();
        if (first == '"' or first == '\'') return .{ .string = try self.name() };
        if (std.ascii.isDigit(first) or first == '-') {
            const start = self.at;
            while (std.mem.indexOfScalar(u8, "+-.eE0123456789", self.peek()) != null) self.at += 1;
            return .{ .number = self.text[start..self.at] };
        }
        if (self.takeWord("true")) return .{ .bool = true };
        if (self.takeWord("false")) return .{ .bool = false };
        if (self.takeWord("null")) return .null;
        if (self.take("@") or first == '.' or first == '[' or isNameByte(first)) {
            const found = try self.path(&.{item});
            return if (found.len > 0) found[0] else null;
        }
        return self.unexpected();
    }

    // Words of the language.

    /// Return a plain or quoted name.
    fn name(self: *Query) mm.Error![]const u8 {
        const quote = self.peek();
        if (quote != '"' and quote != '\'') {
            const plain = self.word();
            return if (plain.len > 0) plain else self.unexpected();
        }
        const start = self.at + 1;
        const end = std.mem.indexOfScalarPos(u8, self.text, start, quote) orelse
            return self.call.fail(&.{ "in the query a ", self.text[self.at .. self.at + 1], " is not closed" });
        self.at = end + 1;
        return self.text[start..end];
    }

    fn word(self: *Query) []const u8 {
        const start = self.at;
        while (isNameByte(self.peek())) self.at += 1;
        return self.text[start..self.at];
    }

    fn number(self: *Query) ?i64 {
        self.space();
        const start = self.at;
        if (self.peek() == '-') self.at += 1;
        while (std.ascii.isDigit(self.peek())) self.at += 1;
        return std.fmt.parseInt(i64, self.text[start..self.at], 10) catch null;
    }

    fn space(self: *Query) void {
        while (std.ascii.isWhitespace(self.peek())) self.at += 1;
    }

    fn peek(self: *Query) u8 {
        return if (self.at < self.text.len) self.text[self.at] else 0;
    }

    fn take(self: *Query, sign: []const u8) bool {
        if (!std.mem.startsWith(u8, self.text[self.at..], sign)) return false;
        self.at += sign.len;
        return true;
    }

    fn takeWord(self: *Query, expected: []const u8) bool {
        self.space();
        const start = self.at;
        if (std.ascii.eqlIgnoreCase(self.word(), expected)) return true;
        self.at = start;
        return false;
    }

    fn expect(self: *Query, sign: []const u8) mm.Error!void {
        self.space();
        if (!self.take(sign)) return self.unexpected();
    }

    fn unexpected(self: *Query) mm.Error {
        if (self.at >= self.text.len) return self.call.fail(&.{"the query ends too early"});
        const length = std.unicode.utf8ByteSequenceLength(self.text[self.at]) catch 1;
        const end = @min(self.at + length, self.text.len);
        return self.call.fail(&.{ "in the query '", self.text[self.at..end], "' at character ", try self.call.decimal(@intCast(self.at + 1)), " is not expected; write it like .items[?price > 10].name" });
    }
};

fn place(bound: i64, length: usize) usize {
    const size: i64 = @intCast(length);
    return @intCast(std.math.clamp(if (bound < 0) size + bound else bound, 0, size));
}

fn isNameByte(byte: u8) bool {
    return std.ascii.isAlphanumeric(byte) or byte == '_' or byte >= 0x80 or byte == '-';
}
