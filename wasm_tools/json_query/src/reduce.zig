//! What stands behind `|`, and comparisons.

const std = @import("std");
const mm = @import("mm");
const Value = mm.json.Value;
const Rational = @import("rational").Rational;

const names = "length, keys, sum, mean, min, max, sort, unique, type";
/// Digits behind the point of a mean that has no end.
const decimals = 12;

pub fn apply(call: *mm.Call, name: []const u8, values: []const Value) mm.Error![]const Value {
    // Many values are taken as they are, one array as its items.
    const items = if (values.len == 1 and values[0] == .array) values[0].array else values;
    if (is(name, "length") or is(name, "count")) return one(call, .{ .number = try call.decimal(length(values, items)) });
    if (is(name, "sum") or is(name, "mean") or is(name, "avg")) return total(call, name, items);
    if (is(name, "min") or is(name, "max")) {
        const sorted = try inOrder(call, items);
        if (sorted.len == 0) return sorted;
        return one(call, if (is(name, "min")) sorted[0] else sorted[sorted.len - 1]);
    }
    if (is(name, "sort")) return inOrder(call, items);
    if (is(name, "unique")) return unique(call, items);
    if (is(name, "keys")) return keys(call, values);
    if (is(name, "type")) {
        var types: std.ArrayList(Value) = .empty;
        for (values) |value| {
            const known = switch (value) {
                .bool => "boolean",
                else => @tagName(value),
            };
            try types.append(call.arena, .{ .string = known });
        }
        return types.items;
    }
    return call.fail(&.{ "there is no function ", name, "; there are ", names });
}

fn length(values: []const Value, items: []const Value) i64 {
    if (values.len == 1) {
        switch (values[0]) {
            .object => |members| return @intCast(members.len),
            .string => |text| return @intCast(std.unicode.utf8CountCodepoints(text) catch text.len),
            else => {},
        }
    }
    return @intCast(items.len);
}

fn keys(call: *mm.Call, values: []const Value) mm.Error![]const Value {
    var found: std.ArrayList(Value) = .empty;
    for (values) |value| {
        if (value != .object) return call.fail(&.{ "keys are of objects; this is of type ", @tagName(value) });
        for (value.object) |member| try found.append(call.arena, .{ .string = member.name });
    }
    return unique(call, found.items);
}

fn total(call: *mm.Call, name: []const u8, items: []const Value) mm.Error![]const Value {
    var sum = Rational.of(call.arena, 0) catch return tooLarge(call);
    for (items) |item| {
        const value = try number(call, item) orelse
            return call.fail(&.{ name, " takes numbers; one value is of type ", @tagName(item) });
        sum = sum.add(value) catch return tooLarge(call);
    }
    if (!is(name, "sum")) {
        if (items.len == 0) return call.fail(&.{"the mean of no numbers is not defined"});
        const size = Rational.of(call.arena, @intCast(items.len)) catch return tooLarge(call);
        sum = sum.divide(size) catch return tooLarge(call);
    }
    return one(call, .{ .number = sum.toText(decimals) catch return tooLarge(call) });
}

fn unique(call: *mm.Call, items: []const Value) mm.Error![]const Value {
    var known: std.StringArrayHashMapUnmanaged(Value) = .empty;
    for (items) |item| {
        var text: std.ArrayList(u8) = .empty;
        try mm.json.write(&text, call.arena, item);
        _ = try known.getOrPutValue(call.arena, text.items, item);
    }
    return known.values();
}

fn inOrder(call: *mm.Call, items: []const Value) mm.Error![]const Value {
    const sorted = try call.arena.dupe(Value, items);
    for (sorted) |item| {
        if (std.meta.activeTag(item) != std.meta.activeTag(sorted[0]) or (item != .number and item != .string)) {
            return call.fail(&.{"only numbers, or only texts, can be put in order"});
        }
    }
    std.sort.heap(Value, sorted, call, isBefore);
    return sorted;
}

fn isBefore(call: *mm.Call, a: Value, b: Value) bool {
    return (order(call, a, b) catch null) == .lt;
}

/// Return whether a comparison holds; null is a value that is not there.
pub fn compare(call: *mm.Call, left: ?Value, sign: []const u8, right: ?Value) mm.Error!bool {
    const a = left orelse Value.null;
    const b = right orelse Value.null;
    const found = try order(call, a, b);
    if (is(sign, "==") or is(sign, "=")) return found == .eq;
    if (is(sign, "!=")) return found != .eq;
    const known = found orelse return false;
    if (is(sign, "<")) return known == .lt;
    if (is(sign, ">")) return known == .gt;
    if (is(sign, "<=")) return known != .gt;
    return known != .lt;
}

pub fn contains(left: ?Value, right: ?Value) bool {
    const a = left orelse return false;
    const b = right orelse return false;
    if (a == .string and b == .string) return std.mem.indexOf(u8, a.string, b.string) != null;
    if (a == .array and b == .string) {
        for (a.array) |item| {
            if (item == .string and std.mem.eql(u8, item.string, b.string)) return true;
        }
    }
    return false;
}

/// Return how two values stand to each other; null when they cannot be compared.
fn order(call: *mm.Call, a: Value, b: Value) mm.Error!?std.math.Order {
    if (a == .string and b == .string) return std.mem.order(u8, a.string, b.string);
    if (a == .number or b == .number) {
        const x = try number(call, a) orelse return null;
        const y = try number(call, b) orelse return null;
        return x.order(y) catch return tooLarge(call);
    }
    if (a == .bool and b == .bool) return if (a.bool == b.bool) .eq else null;
    return if (a == .null and b == .null) .eq else null;
}

/// Return a number, also one that is written as text.
fn number(call: *mm.Call, value: Value) mm.Error!?Rational {
    const text = switch (value) {
        .number, .string => |text| text,
        else => return null,
    };
    return Rational.parse(call.arena, text) catch |failure| switch (failure) {
        error.OutOfMemory => error.OutOfMemory,
        else => null,
    };
}

fn one(call: *mm.Call, value: Value) mm.Error![]const Value {
    return call.arena.dupe(Value, &.{value});
}

fn tooLarge(call: *mm.Call) mm.Error {
    return call.fail(&.{"a number has too many digits"});
}

fn is(name: []const u8, known: []const u8) bool {
    return std.mem.eql(u8, name, known);
}
