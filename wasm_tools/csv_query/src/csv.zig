//! CSV as RFC 4180 has it, with other separators too.

const std = @import("std");
const mm = @import("mm");

pub const Row = []const []const u8;

pub const Table = struct {
    columns: Row,
    rows: []const Row,

    /// Return the number of a column, null when there is none of that name.
    pub fn find(self: Table, name: []const u8) ?usize {
        for (self.columns, 0..) |column, i| {
            if (std.mem.eql(u8, column, name)) return i;
        }
        for (self.columns, 0..) |column, i| {
            if (std.ascii.eqlIgnoreCase(column, name)) return i;
        }
        return null;
    }
};

pub fn parse(call: *mm.Call, given: []const u8) mm.Error!Table {
    var text = given;
    if (std.mem.startsWith(u8, text, "\u{feff}")) text = text[3..];
    text = std.mem.trim(u8, text, "\r\n");
    if (text.len == 0) return call.fail(&.{"`csv` is empty"});
    var reader: Reader = .{ .call = call, .text = text, .separator = separatorOf(text) };
    const columns = try reader.row();
    for (columns) |*column| column.* = std.mem.trim(u8, column.*, " \t");
    var rows: std.ArrayList(Row) = .empty;
    while (reader.at < text.len) {
        const row = try reader.row();
        if (row.len == 1 and row[0].len == 0 and columns.len > 1) continue;
        if (row.len != columns.len) {
            return call.fail(&.{
                "row ",                         try call.decimal(@intCast(rows.items.len + 1)),
                " of the table has ",           try call.decimal(@intCast(row.len)),
                " fields, its first line has ", try call.decimal(@intCast(columns.len)),
            });
        }
        try rows.append(call.arena, row);
    }
    return .{ .columns = columns, .rows = rows.items };
}

/// Return the separator that the first line has most of.
fn separatorOf(text: []const u8) u8 {
    const line = text[0 .. std.mem.indexOfScalar(u8, text, '\n') orelse text.len];
    var best: u8 = ',';
    for (",;\t|") |separator| {
        if (std.mem.count(u8, line, &.{separator}) > std.mem.count(u8, line, &.{best})) best = separator;
    }
    return best;
}

const Reader = struct {
    call: *mm.Call,
    text: []const u8,
    separator: u8,
    at: usize = 0,

    fn row(self: *Reader) mm.Error![][]const u8 {
        var fields: std.ArrayList([]const u8) = .empty;
        while (true) {
            try fields.append(self.call.arena, try self.field());
            if (self.at == self.text.len) return fields.items;
            const end = self.text[self.at];
            self.at += 1;
            if (end == self.separator) continue;
            if (end == '\r' and self.at < self.text.len and self.text[self.at] == '\n') self.at += 1;
            return fields.items;
        }
    }

    fn field(self: *Reader) mm.Error![]const u8 {
        if (self.at < self.text.len and self.text[self.at] == '"') return self.quoted();
        const start = self.at;
        while (self.at < self.text.len and !self.isEnd()) self.at += 1;
        return self.text[start..self.at];
    }

    fn quoted(self: *Reader) mm.Error![]const u8 {
        var out: std.ArrayList(u8) = .empty;
        self.at += 1;
        while (self.at < self.text.len) : (self.at += 1) {
            const byte = self.text[self.at];
            if (byte == '"') {
                if (self.at + 1 == self.text.len or self.text[self.at + 1] != '"') {
                    self.at += 1;
                    while (self.at < self.text.len and !self.isEnd()) self.at += 1;
                    return out.items;
                }
                self.at += 1;
            }
            try out.append(self.call.arena, byte);
        }
        return self.call.fail(&.{"a \" in the table is not closed"});
    }

    fn isEnd(self: *Reader) bool {
        const byte = self.text[self.at];
        return byte == self.separator or byte == '\n' or byte == '\r';
    }
};

/// Append a row as CSV with commas.
pub fn write(call: *mm.Call, out: *std.ArrayList(u8), row: Row) mm.Error!void {
    for (row, 0..) |text, i| {
        if (i > 0) try out.append(call.arena, ',');
        if (std.mem.indexOfAny(u8, text, ",\"\r\n") == null) {
            try out.appendSlice(call.arena, text);
            continue;
        }
        try out.append(call.arena, '"');
        for (text) |byte| {
            if (byte == '"') try out.append(call.arena, '"');
            try out.append(call.arena, byte);
        }
        try out.append(call.arena, '"');
    }
    try out.append(call.arena, '\n');
}
