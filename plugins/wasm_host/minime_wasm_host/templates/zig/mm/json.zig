//! JSON: a value that is read from text, and text that is written from values.
//!
//! Numbers stay the text that they were written as, so that none loses digits.

const std = @import("std");
const Allocator = std.mem.Allocator;

/// Deepest nesting that is read.
pub const max_depth = 64;

pub const Error = error{ NotJson, OutOfMemory };

pub const Member = struct { name: []const u8, value: Value };

pub const Value = union(enum) {
    null,
    bool: bool,
    number: []const u8,
    string: []const u8,
    array: []const Value,
    object: []const Member,

    /// Return the member of that name, null when there is none or this is no object.
    pub fn get(self: Value, name: []const u8) ?Value {
        if (self != .object) return null;
        // Of two members of one name the last one counts.
        var found: ?Value = null;
        for (self.object) |member| {
            if (std.mem.eql(u8, member.name, name)) found = member.value;
        }
        return found;
    }
};

/// Read a whole text. `where` is set to the position of a mistake.
pub fn parse(arena: Allocator, text: []const u8, where: *usize) Error!Value {
    var parser: Parser = .{ .arena = arena, .text = text };
    errdefer where.* = parser.at;
    const value = try parser.value(0);
    parser.space();
    if (parser.at != text.len) return error.NotJson;
    return value;
}

const Parser = struct {
    arena: Allocator,
    text: []const u8,
    at: usize = 0,

    fn value(self: *Parser, depth: usize) Error!Value {
        self.space();
        return switch (self.peek()) {
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' => .{ .string = try self.string() },
            't' => if (self.word("true")) .{ .bool = true } else error.NotJson,
            'f' => if (self.word("false")) .{ .bool = false } else error.NotJson,
            'n' => if (self.word("null")) .null else error.NotJson,
            else => .{ .number = try self.number() },
        };
    }

    fn object(self: *Parser, depth: usize) Error!Value {
        if (depth == max_depth) return error.NotJson;
        var members: std.ArrayList(Member) = .empty;
        self.at += 1;
        self.space();
        if (self.take('}')) return .{ .object = &.{} };
        while (true) {
            self.space();
            if (self.peek() != '"') return error.NotJson;
            const name = try self.string();
            self.space();
            if (!self.take(':')) return error.NotJson;
            try members.append(self.arena, .{ .name = name, .value = try self.value(depth + 1) });
            self.space();
            if (self.take('}')) return .{ .object = members.items };
            if (!self.take(',')) return error.NotJson;
        }
    }

    fn array(self: *Parser, depth: usize) Error!Value {
        if (depth == max_depth) return error.NotJson;
        var items: std.ArrayList(Value) = .empty;
        self.at += 1;
        self.space();
        if (self.take(']')) return .{ .array = &.{} };
        while (true) {
            try items.append(self.arena, try self.value(depth + 1));
            self.space();
            if (self.take(']')) return .{ .array = items.items };
            if (!self.take(',')) return error.NotJson;
        }
    }

    fn string(self: *Parser) Error![]const u8 {
        self.at += 1;
        const start = self.at;
        // Most strings need no copy.
        while (self.at < self.text.len and self.text[self.at] >= 0x20) : (self.at += 1) {
            if (self.text[self.at] == '"') {
                self.at += 1;
                return self.text[start .. self.at - 1];
            }
            if (self.text[self.at] == '\\') return self.escaped(start);
        }
        return error.NotJson;
    }

    fn escaped(self: *Parser, start: usize) Error![]const u8 {
        var out: std.ArrayList(u8) = .empty;
        try out.appendSlice(self.arena, self.text[start..self.at]);
        while (self.at < self.text.len and self.text[self.at] >= 0x20) {
            const byte = self.text[self.at];
            self.at += 1;
            if (byte == '"') return out.items;
            if (byte != '\\') {
                try out.append(self.arena, byte);
                continue;
            }
            const kind = self.peek();
            self.at += 1;
            switch (kind) {
                '"', '\\', '/' => try out.append(self.arena, kind),
                'b' => try out.append(self.arena, 8),
                'f' => try out.append(self.arena, 12),
                'n' => try out.append(self.arena, '\n'),
                'r' => try out.append(self.arena, '\r'),
                't' => try out.append(self.arena, '\t'),
                'u' => try self.unicode(&out),
                else => return error.NotJson,
            }
        }
        return error.NotJson;
    }

    fn unicode(self: *Parser, out: *std.ArrayList(u8)) Error!void {
        var code: u21 = try self.hex();
        if (code >= 0xd800 and code < 0xdc00 and self.word("\\u")) {
            const low = try self.hex();
            if (low < 0xdc00 or low > 0xdfff) return error.NotJson;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        if (code >= 0xd800 and code <= 0xdfff) code = 0xfffd;
        var buffer: [4]u8 = undefined;
        const size = std.unicode.utf8Encode(code, &buffer) catch return error.NotJson;
        try out.appendSlice(self.arena, buffer[0..size]);
    }

    fn hex(self: *Parser) Error!u21 {
        if (self.at + 4 > self.text.len) return error.NotJson;
        const code = std.fmt.parseInt(u16, self.text[self.at..][0..4], 16) catch
            return error.NotJson;
        self.at += 4;
        return code;
    }

    fn number(self: *Parser) Error![]const u8 {
        const start = self.at;
        _ = self.take('-');
        if (!self.take('0') and !self.digits()) return error.NotJson;
        if (self.take('.') and !self.digits()) return error.NotJson;
        if (self.take('e') or self.take('E')) {
            _ = self.take('+') or self.take('-');
            if (!self.digits()) return error.NotJson;
        }
        return self.text[start..self.at];
    }

    fn digits(self: *Parser) bool {
        const start = self.at;
        while (std.ascii.isDigit(self.peek())) self.at += 1;
        return self.at > start;
    }

    fn space(self: *Parser) void {
        while (true) : (self.at += 1) {
            switch (self.peek()) {
                ' ', '\t', '\n', '\r' => {},
                else => return,
            }
        }
    }

    fn peek(self: *Parser) u8 {
        return if (self.at < self.text.len) self.text[self.at] else 0;
    }

    fn take(self: *Parser, byte: u8) bool {
        if (self.at == self.text.len or self.text[self.at] != byte) return false;
        self.at += 1;
        return true;
    }

    fn word(self: *Parser, expected: []const u8) bool {
        if (!std.mem.startsWith(u8, self.text[self.at..], expected)) return false;
        self.at += expected.len;
        return true;
    }
};

/// Append `value` as JSON in one line.
pub fn write(out: *std.ArrayList(u8), arena: Allocator, value: Value) Allocator.Error!void {
    switch (value) {
        .null => try out.appendSlice(arena, "null"),
        .bool => |yes| try out.appendSlice(arena, if (yes) "true" else "false"),
        .number => |text| try out.appendSlice(arena, text),
        .string => |text| try writeString(out, arena, text),
        .array => |items| {
            try out.append(arena, '[');
            for (items, 0..) |item, i| {
                if (i > 0) try out.append(arena, ',');
                try write(out, arena, item);
            }
            try out.append(arena, ']');
        },
        .object => |members| {
            try out.append(arena, '{');
            for (members, 0..) |member, i| {
                if (i > 0) try out.append(arena, ',');
                try writeString(out, arena, member.name);
                try out.append(arena, ':');
                try write(out, arena, member.value);
            }
            try out.append(arena, '}');
        },
    }
}

/// Append `text` as a JSON string.
pub fn writeString(out: *std.ArrayList(u8), arena: Allocator, text: []const u8) Allocator.Error!void {
    const hex = "0123456789abcdef";
    try out.append(arena, '"');
    for (text) |byte| {
        switch (byte) {
            '"', '\\' => try out.appendSlice(arena, &.{ '\\', byte }),
            '\n' => try out.appendSlice(arena, "\\n"),
            '\r' => try out.appendSlice(arena, "\\r"),
            '\t' => try out.appendSlice(arena, "\\t"),
            0...8, 11, 12, 14...31 => {
                try out.appendSlice(arena, "\\u00");
                try out.appendSlice(arena, &.{ hex[byte >> 4], hex[byte & 15] });
            },
            else => try out.append(arena, byte),
        }
    }
    try out.append(arena, '"');
}
