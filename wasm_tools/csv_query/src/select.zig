//! A SELECT of SQL, read into what is to be done.

const std = @import("std");
const mm = @import("mm");
const csv = @import("csv.zig");

pub const Function = enum { none, count, sum, avg, min, max };

/// One column of the result. Without a column it is count(*).
pub const Item = struct {
    function: Function = .none,
    column: ?usize,
    is_distinct: bool = false,
    name: []const u8,
};

pub const Operand = union(enum) { column: usize, text: []const u8 };
pub const Comparison = enum { equal, unequal, less, at_most, more, at_least, like };

pub const Condition = union(enum) {
    compare: struct { left: Operand, how: Comparison, right: Operand },
    is_empty: Operand,
    not: *const Condition,
    both: [2]*const Condition,
    either: [2]*const Condition,
};

pub const Order = struct { item: Item, is_descending: bool };

pub const Query = struct {
    items: []const Item,
    is_distinct: bool = false,
    where: ?*const Condition = null,
    groups: []const usize = &.{},
    is_grouped: bool = false,
    order: []const Order = &.{},
    limit: ?usize = null,
};

const max_depth = 30;

pub const Parser = struct {
    call: *mm.Call,
    text: []const u8,
    table: csv.Table,
    at: usize = 0,
    depth: usize = 0,

    pub fn query(self: *Parser) mm.Error!Query {
        if (!self.word("select")) return self.fail("begin with SELECT");
        var found: Query = .{ .is_distinct = self.word("distinct"), .items = try self.selectList() };
        if (self.word("from")) _ = try self.identifier();
        if (self.word("join") or self.sign(",")) return self.fail("there is one table and no JOIN");
        if (self.word("where")) found.where = try self.condition();
        if (self.word("group")) {
            if (!self.word("by")) return self.fail("write GROUP BY");
            found.is_grouped = true;
            found.groups = try self.columnList();
        }
        if (self.word("having")) return self.fail("HAVING is not known: ask again with what this returns");
        for (found.items) |item| found.is_grouped = found.is_grouped or item.function != .none;
        if (self.word("order")) {
            if (!self.word("by")) return self.fail("write ORDER BY");
            found.order = try self.ordering(found.items);
        }
        if (self.word("limit")) {
            const count = self.number();
            found.limit = std.fmt.parseInt(usize, count, 10) catch return self.fail("LIMIT takes a number");
        }
        _ = self.sign(";");
        self.space();
        if (self.at < self.text.len) return self.fail("this is not expected here");
        for (found.items) |item| try self.checkGroup(found, item);
        return found;
    }

    fn checkGroup(self: *Parser, found: Query, item: Item) mm.Error!void {
        if (!found.is_grouped or item.function != .none) return;
        const column = item.column orelse return;
        if (std.mem.indexOfScalar(usize, found.groups, column) != null) return;
        return self.call.fail(&.{ "the column ", item.name, " is neither in GROUP BY nor inside of count, sum, avg, min, max" });
    }

    fn selectList(self: *Parser) mm.Error![]const Item {
        var found: std.ArrayList(Item) = .empty;
        while (true) {
            if (self.sign("*")) {
                for (self.table.columns, 0..) |name, i| {
                    try found.append(self.call.arena, .{ .column = i, .name = name });
                }
            } else {
                var one = try self.selected();
                if (self.word("as")) one.name = try self.identifier();
                try found.append(self.call.arena, one);
            }
            if (!self.sign(",")) return found.items;
        }
    }

    fn selected(self: *Parser) mm.Error!Item {
        self.space();
        const start = self.at;
        const name = try self.identifier();
        if (!self.sign("(")) return .{ .column = try self.columnNamed(name), .name = name };
        const known = [_]struct { []const u8, Function }{
            .{ "count", .count }, .{ "sum", .sum }, .{ "avg", .avg }, .{ "mean", .avg }, .{ "min", .min }, .{ "max", .max },
        };
        const function = for (known) |pair| {
            if (std.ascii.eqlIgnoreCase(pair[0], name)) break pair[1];
        } else return self.call.fail(&.{ "there is no function ", name, "; there are count, sum, avg, min, max" });
        var found: Item = .{ .function = function, .column = null, .name = "" };
        if (!(function == .count and self.sign("*"))) {
            found.is_distinct = self.word("distinct");
            found.column = try self.columnNamed(try self.identifier());
        }
        if (!self.sign(")")) return self.fail("a ) is missing");
        found.name = self.text[start..self.at];
        return found;
    }

    fn columnList(self: *Parser) mm.Error![]const usize {
        var found: std.ArrayList(usize) = .empty;
        while (true) {
            try found.append(self.call.arena, try self.columnNamed(try self.identifier()));
            if (!self.sign(",")) return found.items;
        }
    }

    fn ordering(self: *Parser, shown: []const Item) mm.Error![]const Order {
        var found: std.ArrayList(Order) = .empty;
        while (true) {
            const by = try self.ordered(shown);
            const is_descending = self.word("desc");
            if (!is_descending) _ = self.word("asc");
            try found.append(self.call.arena, .{ .item = by, .is_descending = is_descending });
            if (!self.sign(",")) return found.items;
        }
    }

    /// Read a name that AS gave, the number of a column, or what SELECT takes.
    fn ordered(self: *Parser, shown: []const Item) mm.Error!Item {
        self.space();
        const start = self.at;
        const digits = self.number();
        if (digits.len > 0) {
            const place = std.fmt.parseInt(usize, digits, 10) catch 0;
            if (place >= 1 and place <= shown.len) return shown[place - 1];
            return self.fail("there is no such column to order by");
        }
        const name = try self.identifier();
        for (shown) |one| {
            if (std.ascii.eqlIgnoreCase(one.name, name) and !self.isNext('(')) return one;
        }
        self.at = start;
        return self.selected();
    }

    // Conditions.

    fn condition(self: *Parser) mm.Error!*const Condition {
        self.depth += 1;
        defer self.depth -= 1;
        if (self.depth > max_depth) return self.fail("too many brackets inside of each other");
        var left = try self.both();
        while (self.word("or")) left = try self.keep(.{ .either = .{ left, try self.both() } });
        return left;
    }

    fn both(self: *Parser) mm.Error!*const Condition {
        var left = try self.single();
        while (self.word("and")) left = try self.keep(.{ .both = .{ left, try self.single() } });
        return left;
    }

    fn single(self: *Parser) mm.Error!*const Condition {
        if (self.word("not")) return self.keep(.{ .not = try self.single() });
        if (self.sign("(")) {
            const inner = try self.condition();
            if (!self.sign(")")) return self.fail("a ) is missing");
            return inner;
        }
        const left = try self.operand();
        if (self.word("is")) {
            const is_negated = self.word("not");
            if (!self.word("null")) return self.fail("write IS NULL");
            const empty = try self.keep(.{ .is_empty = left });
            return if (is_negated) self.keep(.{ .not = empty }) else empty;
        }
        const is_negated = self.word("not");
        const found = try self.comparison(left);
        return if (is_negated) self.keep(.{ .not = found }) else found;
    }

    fn comparison(self: *Parser, left: Operand) mm.Error!*const Condition {
        if (self.word("like")) return self.compared(left, .like);
        if (self.word("between")) {
            const least = try self.compared(left, .at_least);
            if (!self.word("and")) return self.fail("write BETWEEN ... AND ...");
            return self.keep(.{ .both = .{ least, try self.compared(left, .at_most) } });
        }
        if (self.word("in")) {
            if (!self.sign("(")) return self.fail("write IN ('a', 'b')");
            var any = try self.compared(left, .equal);
            while (self.sign(",")) any = try self.keep(.{ .either = .{ any, try self.compared(left, .equal) } });
            if (!self.sign(")")) return self.fail("a ) is missing");
            return any;
        }
        const signs = [_]struct { []const u8, Comparison }{
            .{ "<>", .unequal }, .{ "!=", .unequal }, .{ "<=", .at_most }, .{ ">=", .at_least },
            .{ "==", .equal },   .{ "=", .equal },    .{ "<", .less },     .{ ">", .more },
        };
        for (signs) |pair| {
            if (self.sign(pair[0])) return self.compared(left, pair[1]);
        }
        return self.fail("a comparison such as = or LIKE is missing");
    }

    fn compared(self: *Parser, left: Operand, how: Comparison) mm.Error!*const Condition {
        return self.keep(.{ .compare = .{ .left = left, .how = how, .right = try self.operand() } });
    }

    fn keep(self: *Parser, found: Condition) mm.Error!*const Condition {
        const kept = try self.call.arena.create(Condition);
        kept.* = found;
        return kept;
    }

    fn operand(self: *Parser) mm.Error!Operand {
        self.space();
        if (self.isNext('\'')) return .{ .text = try self.quoted('\'') };
        const digits = self.number();
        if (digits.len > 0) return .{ .text = digits };
        const is_quoted = self.isNext('"');
        const name = try self.identifier();
        if (self.table.find(name)) |found| return .{ .column = found };
        // Many write texts in double quotes.
        if (is_quoted) return .{ .text = name };
        return .{ .column = try self.columnNamed(name) };
    }

    // Words.

    fn columnNamed(self: *Parser, name: []const u8) mm.Error!usize {
        if (self.table.find(name)) |found| return found;
        const names = try std.mem.join(self.call.arena, ", ", self.table.columns);
        return self.call.fail(&.{ "there is no column ", name, "; there are: ", names });
    }

    fn identifier(self: *Parser) mm.Error![]const u8 {
        self.space();
        if (self.isNext('"')) return self.quoted('"');
        if (self.isNext('`')) return self.quoted('`');
        if (self.isNext('[')) return self.quoted(']');
        const start = self.at;
        while (self.at < self.text.len and isNameByte(self.text[self.at])) self.at += 1;
        if (self.at == start) return self.fail("a name is missing");
        return self.text[start..self.at];
    }

    fn quoted(self: *Parser, end: u8) mm.Error![]const u8 {
        var out: std.ArrayList(u8) = .empty;
        self.at += 1;
        while (self.at < self.text.len) : (self.at += 1) {
            if (self.text[self.at] == end) {
                self.at += 1;
                if (!self.isNext(end)) return out.items;
            }
            try out.append(self.call.arena, self.text[self.at]);
        }
        return self.fail("a quotation mark is not closed");
    }

    fn number(self: *Parser) []const u8 {
        self.space();
        const start = self.at;
        if (self.isNext('-')) self.at += 1;
        const digits = self.at;
        while (self.at < self.text.len and (std.ascii.isDigit(self.text[self.at]) or self.text[self.at] == '.')) self.at += 1;
        if (self.at == digits) self.at = start;
        return self.text[start..self.at];
    }

    fn space(self: *Parser) void {
        while (self.at < self.text.len and std.ascii.isWhitespace(self.text[self.at])) self.at += 1;
    }

    fn isNext(self: *Parser, byte: u8) bool {
        return self.at < self.text.len and self.text[self.at] == byte;
    }

    fn sign(self: *Parser, expected: []const u8) bool {
        self.space();
        if (!std.mem.startsWith(u8, self.text[self.at..], expected)) return false;
        self.at += expected.len;
        return true;
    }

    fn word(self: *Parser, expected: []const u8) bool {
        self.space();
        const rest = self.text[self.at..];
        if (!std.ascii.startsWithIgnoreCase(rest, expected)) return false;
        if (rest.len > expected.len and isNameByte(rest[expected.len])) return false;
        self.at += expected.len;
        return true;
    }

    fn fail(self: *Parser, why: []const u8) mm.Error {
        self.space();
        const rest = self.text[self.at..@min(self.at + 20, self.text.len)];
        return self.call.fail(&.{ "in the SQL at '", rest, "': ", why });
    }
};

fn isNameByte(byte: u8) bool {
    return std.ascii.isAlphanumeric(byte) or byte == '_' or byte >= 0x80;
}
