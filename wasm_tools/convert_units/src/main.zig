//! Conversion of units, exact where the definitions are.

const std = @import("std");
const mm = @import("mm");
const rational = @import("rational");
const Rational = rational.Rational;
const table = @import("table.zig");
const Unit = table.Unit;

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "convert_units",
    .description =
    \\Convert a number from one unit to another: length, area, volume, mass, time, speed, temperature, data, energy, power, pressure, force, angle. Units as km, mi, ft, lb, degF, m2, km/h, kWh, GiB, or as words.
    ,
    .schema =
    \\{"type":"object","properties":{"value":{"type":"number"},"from":{"type":"string"},"to":{"type":"string"}},"required":["value","from","to"],"additionalProperties":false}
    ,
    .run = run,
}};

comptime {
    mm.exportTools(&tools);
}

/// Digits behind the point.
const decimals = 12;

fn run(call: *mm.Call) mm.Error![]const u8 {
    const text = try call.text("value");
    const from = try unit(call, try call.text("from"));
    const to = try unit(call, try call.text("to"));
    if (from.kind != to.kind) {
        return call.fail(&.{ from.name(), " is a unit of ", @tagName(from.kind), ", ", to.name(), " one of ", @tagName(to.kind), ": these cannot be converted" });
    }
    return converted(call, text, from, to) catch |failure| switch (failure) {
        error.NotANumber => call.fail(&.{ "`value` is not a number: ", text }),
        error.TooLarge, error.DivisionByZero => call.fail(&.{"the number has too many digits"}),
        else => |other| @errorCast(other),
    };
}

fn converted(call: *mm.Call, text: []const u8, from: Unit, to: Unit) ![]const u8 {
    const value = try Rational.parse(call.arena, text);
    const base = try (try value.add(try number(call, from.before))).multiply(try number(call, from.factor));
    const result = try (try base.divide(try number(call, to.factor))).subtract(try number(call, to.before));
    // A small result keeps as many digits as a large one.
    const zeros = (result.bottom.bitCountAbs() -| result.top.bitCountAbs()) * 30_103 / 100_000;
    const digits = decimals + zeros;
    const exact = try result.decimals();
    const is_exact = exact != null and exact.? <= digits and !from.is_rounded and !to.is_rounded;
    return call.join(&.{ text, " ", from.name(), if (is_exact) " = " else " is about ", try result.toText(digits), " ", to.name() });
}

/// Read a number of the table, which may be a fraction.
fn number(call: *mm.Call, text: []const u8) !Rational {
    const slash = std.mem.indexOfScalar(u8, text, '/') orelse return Rational.parse(call.arena, text);
    const top = try Rational.parse(call.arena, text[0..slash]);
    return top.divide(try Rational.parse(call.arena, text[slash + 1 ..]));
}

fn unit(call: *mm.Call, given: []const u8) mm.Error!Unit {
    const name = std.mem.trim(u8, given, " \t.");
    // As it is written first: m is not M.
    for (table.units) |one| {
        if (one.has(name, std.mem.eql)) return one;
    }
    for (table.units) |one| {
        if (one.has(name, sameLetters)) return one;
    }
    var near: std.ArrayList([]const u8) = .empty;
    for (table.units) |one| {
        if (near.items.len < 16 and one.begins(name)) try near.appendSlice(call.arena, &.{ if (near.items.len > 0) ", " else "; did you mean ", one.name() });
    }
    if (near.items.len == 0) try near.append(call.arena, "; use a usual sign or an English word, such as km, mile, kg, lb, L, gal, degC, km/h, kWh, MiB");
    return call.fail(&.{ "the unit '", given, "' is not known", try call.join(near.items) });
}

fn sameLetters(comptime T: type, a: []const T, b: []const T) bool {
    if (std.ascii.eqlIgnoreCase(a, b)) return true;
    // A plural of a word.
    return a.len == b.len + 1 and b.len > 2 and (a[b.len] == 's' or a[b.len] == 'S') and std.ascii.eqlIgnoreCase(a[0..b.len], b);
}
