//! Rows that a query chooses, grouped, in order, and written.

const std = @import("std");
const mm = @import("mm");
const csv = @import("csv.zig");
const select = @import("select.zig");
const Rational = @import("rational").Rational;
const Item = select.Item;
const Query = select.Query;

/// Rows that are shown.
const max_rows = 200;
/// Digits behind the point of a mean that has no end.
const decimals = 12;

/// Places of texts, each text once.
const Known = std.StringHashMapUnmanaged(usize);

/// A row of the result, and what it is put in order by.
const Result = struct { cells: []const []const u8, keys: []const []const u8 };

pub fn run(call: *mm.Call, table: csv.Table, query: Query) mm.Error![]const u8 {
    var chosen: std.ArrayList(csv.Row) = .empty;
    for (table.rows) |row| {
        if (query.where == null or try holds(call, query.where.?, row)) try chosen.append(call.arena, row);
    }
    var results: std.ArrayList(Result) = .empty;
    if (query.is_grouped) {
        for (try grouped(call, query, chosen.items)) |rows| try results.append(call.arena, try computed(call, query, rows));
    } else for (chosen.items) |row| {
        try results.append(call.arena, try computed(call, query, &.{row}));
    }
    if (query.is_distinct) results.items = try distinct(call, results.items);
    if (query.order.len > 0) std.sort.heap(Result, results.items, Sorting{ .call = call, .query = query }, Sorting.isBefore);
    return written(call, query, results.items);
}

fn written(call: *mm.Call, query: Query, results: []const Result) mm.Error![]const u8 {
    const wanted = results[0..@min(results.len, query.limit orelse results.len)];
    var out: std.ArrayList(u8) = .empty;
    var names: std.ArrayList([]const u8) = .empty;
    for (query.items) |item| try names.append(call.arena, item.name);
    try csv.write(call, &out, names.items);
    for (wanted[0..@min(wanted.len, max_rows)]) |result| try csv.write(call, &out, result.cells);
    if (wanted.len == 0) try out.appendSlice(call.arena, "(no row fits)");
    if (wanted.len > max_rows) {
        const left = try call.decimal(@intCast(wanted.len - max_rows));
        return call.join(&.{ out.items, "(", left, " more rows; add WHERE, GROUP BY or LIMIT)" });
    }
    return std.mem.trimEnd(u8, out.items, "\n");
}

fn grouped(call: *mm.Call, query: Query, rows: []const csv.Row) mm.Error![]const []const csv.Row {
    // Without GROUP BY all rows are one group, also when there are none.
    if (query.groups.len == 0) return call.arena.dupe([]const csv.Row, &.{rows});
    var known: Known = .empty;
    var groups: std.ArrayList(std.ArrayList(csv.Row)) = .empty;
    for (rows) |row| {
        var key: std.ArrayList([]const u8) = .empty;
        for (query.groups) |column| try key.append(call.arena, row[column]);
        const place = try placeOf(call, &known, key.items);
        if (place == groups.items.len) try groups.append(call.arena, .empty);
        try groups.items[place].append(call.arena, row);
    }
    const found = try call.arena.alloc([]const csv.Row, groups.items.len);
    for (found, groups.items) |*group, list| group.* = list.items;
    return found;
}

/// Return the place of a row of texts, a new one behind all others when it is not known.
fn placeOf(call: *mm.Call, known: *Known, cells: csv.Row) mm.Error!usize {
    const next = known.count();
    const entry = try known.getOrPutValue(call.arena, try std.mem.join(call.arena, "\x00", cells), next);
    return entry.value_ptr.*;
}

fn distinct(call: *mm.Call, results: []const Result) mm.Error![]Result {
    var known: Known = .empty;
    var kept: std.ArrayList(Result) = .empty;
    for (results) |result| {
        if (try placeOf(call, &known, result.cells) == kept.items.len) try kept.append(call.arena, result);
    }
    return kept.items;
}

fn computed(call: *mm.Call, query: Query, rows: []const csv.Row) mm.Error!Result {
    var cells: std.ArrayList([]const u8) = .empty;
    var keys: std.ArrayList([]const u8) = .empty;
    for (query.items) |item| try cells.append(call.arena, try cell(call, item, rows));
    for (query.order) |order| try keys.append(call.arena, try cell(call, order.item, rows));
    return .{ .cells = cells.items, .keys = keys.items };
}

fn cell(call: *mm.Call, item: Item, rows: []const csv.Row) mm.Error![]const u8 {
    const column = item.column orelse return call.decimal(@intCast(rows.len));
    if (item.function == .none) return if (rows.len > 0) rows[0][column] else "";
    var values: std.ArrayList([]const u8) = .empty;
    for (rows) |row| {
        if (row[column].len > 0) try values.append(call.arena, row[column]);
    }
    if (item.is_distinct) {
        var known: Known = .empty;
        var kept: usize = 0;
        for (values.items) |value| {
            if (try placeOf(call, &known, &.{value}) != kept) continue;
            values.items[kept] = value;
            kept += 1;
        }
        values.items.len = kept;
    }
    if (item.function == .count) return call.decimal(@intCast(values.items.len));
    if (values.items.len == 0) return "";
    if (item.function == .sum or item.function == .avg) return total(call, item, values.items);
    var best = values.items[0];
    for (values.items[1..]) |value| {
        const order = try compare(call, value, best);
        if (order == if (item.function == .min) std.math.Order.lt else std.math.Order.gt) best = value;
    }
    return best;
}

fn total(call: *mm.Call, item: Item, values: []const []const u8) mm.Error![]const u8 {
    var sum = Rational.of(call.arena, 0) catch return tooLarge(call);
    for (values) |text| {
        const value = try number(call, text) orelse
            return call.fail(&.{ item.name, ": '", text, "' is not a number; leave such rows out with WHERE" });
        sum = sum.add(value) catch return tooLarge(call);
    }
    if (item.function == .avg) {
        const size = Rational.of(call.arena, @intCast(values.len)) catch return tooLarge(call);
        sum = sum.divide(size) catch return tooLarge(call);
    }
    return sum.toText(decimals) catch tooLarge(call);
}

const Sorting = struct {
    call: *mm.Call,
    query: Query,

    fn isBefore(self: Sorting, a: Result, b: Result) bool {
        for (self.query.order, a.keys, b.keys) |order, x, y| {
            const found = compare(self.call, x, y) catch .eq;
            if (found != .eq) return (found == .lt) != order.is_descending;
        }
        return false;
    }
};

fn holds(call: *mm.Call, condition: *const select.Condition, row: csv.Row) mm.Error!bool {
    switch (condition.*) {
        .not => |inner| return !try holds(call, inner, row),
        .both => |pair| return try holds(call, pair[0], row) and try holds(call, pair[1], row),
        .either => |pair| return try holds(call, pair[0], row) or try holds(call, pair[1], row),
        .is_empty => |operand| return valueOf(operand, row).len == 0,
        .compare => |one| {
            const left = valueOf(one.left, row);
            const right = valueOf(one.right, row);
            if (one.how == .like) return like(left, right);
            // An empty field is like NULL: equal to an empty text alone.
            if (left.len == 0 and right.len > 0 and one.how != .unequal) return false;
            const order = try compare(call, left, right);
            return switch (one.how) {
                .equal => order == .eq,
                .unequal => order != .eq,
                .less => order == .lt,
                .at_most => order != .gt,
                .more => order == .gt,
                else => order != .lt,
            };
        },
    }
}

fn valueOf(operand: select.Operand, row: csv.Row) []const u8 {
    return switch (operand) {
        .column => |column| row[column],
        .text => |given| given,
    };
}

/// Return how two texts stand to each other, as numbers when both are.
fn compare(call: *mm.Call, a: []const u8, b: []const u8) mm.Error!std.math.Order {
    const x = try number(call, a) orelse return std.mem.order(u8, a, b);
    const y = try number(call, b) orelse return std.mem.order(u8, a, b);
    return x.order(y) catch tooLarge(call);
}

fn number(call: *mm.Call, given: []const u8) mm.Error!?Rational {
    return Rational.parse(call.arena, std.mem.trim(u8, given, " ")) catch |failure| switch (failure) {
        error.OutOfMemory => error.OutOfMemory,
        else => null,
    };
}

/// Return whether a text fits a pattern: `%` is anything, `_` one character; case is ignored.
fn like(given: []const u8, pattern: []const u8) bool {
    var at: usize = 0;
    var in_pattern: usize = 0;
    // Where to go on when what follows the last `%` does not fit.
    var again: ?usize = null;
    var again_pattern: usize = 0;
    while (at < given.len) {
        const wanted: u8 = if (in_pattern < pattern.len) pattern[in_pattern] else 0;
        if (wanted == '%') {
            again = at;
            in_pattern += 1;
            again_pattern = in_pattern;
        } else if (in_pattern < pattern.len and (wanted == '_' or std.ascii.toLower(wanted) == std.ascii.toLower(given[at]))) {
            at += if (wanted == '_') std.unicode.utf8ByteSequenceLength(given[at]) catch 1 else 1;
            in_pattern += 1;
        } else if (again) |start| {
            again = start + 1;
            at = start + 1;
            in_pattern = again_pattern;
        } else return false;
    }
    while (in_pattern < pattern.len and pattern[in_pattern] == '%') in_pattern += 1;
    return in_pattern == pattern.len and at == given.len;
}

fn tooLarge(call: *mm.Call) mm.Error {
    return call.fail(&.{"a number has too many digits"});
}
