//! Functions and constants by name. What is not rational is rounded far behind what is shown.

const std = @import("std");
const mm = @import("mm");
const rational = @import("rational");
const Rational = rational.Rational;
const series = @import("series.zig");
const evaluate = @import("evaluate.zig");
const Value = evaluate.Value;
const Error = evaluate.Error;

const max_factorial = 10_000;
/// Largest exponent of `exp`: the result has some thousand digits.
const max_exponent = 5_000;

const names = "sqrt, abs, round, floor, ceil, min, max, sum, mean, gcd, lcm, comb, perm, factorial, mod, exp, ln, log, sin, cos, tan";

pub fn constant(call: *mm.Call, name: []const u8) Error!Value {
    if (is(name, "pi")) return .{ .number = try series.pi(call.arena), .is_exact = false };
    if (is(name, "e")) {
        const one = try Rational.of(call.arena, 1);
        return .{ .number = try series.exp(one), .is_exact = false };
    }
    return call.fail(&.{ name, " is not known: there are no variables; constants are pi and e, functions ", names });
}

pub fn apply(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    if (is(name, "min") or is(name, "max")) return extreme(call, name, given);
    if (is(name, "sum") or is(name, "mean") or is(name, "avg")) return total(call, name, given);
    if (is(name, "gcd") or is(name, "lcm")) return common(call, name, given);
    if (is(name, "round")) return rounded(call, given);
    if (is(name, "log")) return logarithm(call, given);
    if (is(name, "comb") or is(name, "perm") or is(name, "mod") or is(name, "pow")) {
        try expect(call, name, given, 2);
        if (is(name, "pow")) return power(call, given[0], given[1]);
        if (is(name, "mod")) return .{ .number = try modulo(given[0].number, given[1].number), .is_exact = given[0].is_exact and given[1].is_exact };
        return choices(call, name, given);
    }
    return ofOne(call, name, given);
}

fn ofOne(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    const known = [_][]const u8{ "sqrt", "abs", "floor", "ceil", "factorial", "exp", "ln", "log10", "log2", "sin", "cos", "tan" };
    for (known) |one| {
        if (is(name, one)) break;
    } else return call.fail(&.{ "there is no function ", name, "; there are ", names });
    try expect(call, name, given, 1);
    const x = given[0].number;
    const exact = given[0].is_exact;
    if (is(name, "abs")) return .{ .number = try x.absolute(), .is_exact = exact };
    if (is(name, "floor")) return .{ .number = try x.floor(), .is_exact = exact };
    if (is(name, "ceil")) return .{ .number = try (try (try x.negated()).floor()).negated(), .is_exact = exact };
    if (is(name, "factorial")) return factorial(call, given[0]);
    if (is(name, "sqrt")) {
        if (x.isNegative()) return call.fail(&.{"the square root of a negative number is not real"});
        if (try series.exactRoot(x)) |root| return .{ .number = root, .is_exact = exact };
        return about(try series.root(x));
    }
    if (is(name, "exp")) return exponential(call, x);
    if (is(name, "sin") or is(name, "cos") or is(name, "tan")) {
        if (x.top.bitCountAbs() > 1_000) return error.TooLarge;
        if (is(name, "sin")) return about(try series.sin(x, 0));
        const cos = try series.sin(x, 1);
        if (is(name, "cos")) return about(cos);
        return about(try (try series.sin(x, 0)).divide(cos));
    }
    const base: i64 = if (is(name, "log10")) 10 else if (is(name, "log2")) 2 else 0;
    if (base == 0) return .{ .number = try natural(call, x), .is_exact = false };
    return logarithm(call, &.{ given[0], .{ .number = try Rational.of(call.arena, base) } });
}

pub fn power(call: *mm.Call, base: Value, exponent: Value) Error!Value {
    const exact = base.is_exact and exponent.is_exact;
    if (exponent.number.toInt()) |times| {
        if (times < 0 and base.number.isZero()) return error.DivisionByZero;
        return .{ .number = try base.number.power(times), .is_exact = exact };
    }
    if (exponent.number.isWhole()) return error.TooLarge;
    if (base.number.isNegative()) return call.fail(&.{"a negative number to a power that is not whole is not real"});
    if (base.number.isZero()) return base;
    const two = try Rational.of(call.arena, 2);
    if ((try exponent.number.multiply(two)).toInt()) |halves| {
        if (try series.exactRoot(base.number)) |root| return .{ .number = try root.power(halves), .is_exact = exact };
    }
    return exponential(call, try (try natural(call, base.number)).multiply(exponent.number));
}

pub fn modulo(a: Rational, b: Rational) error{ TooLarge, DivisionByZero, OutOfMemory }!Rational {
    const whole = try (try a.divide(b)).floor();
    return a.subtract(try whole.multiply(b));
}

pub fn factorial(call: *mm.Call, value: Value) Error!Value {
    const n = value.number.toInt() orelse -1;
    if (n < 0) return call.fail(&.{"only whole numbers from 0 have a factorial"});
    if (n > max_factorial) return error.TooLarge;
    return .{ .number = try falling(call, n, n), .is_exact = value.is_exact };
}

/// Return n (n-1) ... of `count` factors, large ones last: that takes the least memory.
fn falling(call: *mm.Call, n: i64, count: i64) Error!Rational {
    if (count == 0) return Rational.of(call.arena, 1);
    if (count == 1) return Rational.of(call.arena, n);
    const half = @divTrunc(count, 2);
    const first = try falling(call, n, half);
    return first.multiply(try falling(call, n - half, count - half));
}

fn choices(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    const n = given[0].number.toInt() orelse -1;
    const k = given[1].number.toInt() orelse -1;
    if (n < 0 or k < 0) return call.fail(&.{ name, " takes two whole numbers from 0" });
    if (k > n) return .{ .number = try Rational.of(call.arena, 0) };
    const count = if (is(name, "comb")) @min(k, n - k) else k;
    if (count > max_factorial) return error.TooLarge;
    const ordered = try falling(call, n, count);
    if (is(name, "perm")) return .{ .number = ordered };
    return .{ .number = try ordered.divide(try falling(call, count, count)) };
}

fn extreme(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    try some(call, name, given);
    var best = given[0];
    for (given[1..]) |value| {
        const order = try value.number.order(best.number);
        if (order == if (is(name, "min")) std.math.Order.lt else std.math.Order.gt) best = value;
    }
    return best;
}

fn total(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    try some(call, name, given);
    var result: Value = .{ .number = try Rational.of(call.arena, 0) };
    for (given) |value| {
        result.number = try result.number.add(value.number);
        result.is_exact = result.is_exact and value.is_exact;
    }
    if (!is(name, "sum")) {
        result.number = try result.number.divide(try Rational.of(call.arena, @intCast(given.len)));
    }
    return result;
}

fn common(call: *mm.Call, name: []const u8, given: []const Value) Error!Value {
    try some(call, name, given);
    var result = try given[0].number.absolute();
    for (given) |value| {
        if (!value.number.isWhole()) return call.fail(&.{ name, " takes whole numbers" });
        const b = try value.number.absolute();
        const divisor = try Rational.whole(try rational.gcd(result.top, b.top));
        if (is(name, "gcd")) {
            result = divisor;
        } else if (!result.isZero()) {
            result = try result.multiply(try b.divide(divisor));
        }
    }
    return .{ .number = result };
}

fn rounded(call: *mm.Call, given: []const Value) Error!Value {
    if (given.len == 0 or given.len > 2) return call.fail(&.{"round takes a number, and the digits behind the point"});
    const digits = if (given.len == 2) given[1].number.toInt() orelse 1_000 else 0;
    if (@abs(digits) > 500) return call.fail(&.{"round takes -500 to 500 digits"});
    return .{ .number = try given[0].number.round(digits), .is_exact = given[0].is_exact };
}

fn logarithm(call: *mm.Call, given: []const Value) Error!Value {
    if (given.len == 0 or given.len > 2) return call.fail(&.{"log takes a number and a base, which is 10 if left out"});
    const base = if (given.len == 2) given[1].number else try Rational.of(call.arena, 10);
    const quotient = try (try natural(call, given[0].number)).divide(try natural(call, base));
    // Of a power of the base it is whole.
    const near = try quotient.round(0);
    if (near.toInt()) |times| {
        if (@abs(times) < 5_000 and try (try base.power(times)).order(given[0].number) == .eq) {
            return .{ .number = near, .is_exact = given[0].is_exact };
        }
    }
    return about(quotient);
}

fn natural(call: *mm.Call, x: Rational) Error!Rational {
    if (x.isNegative() or x.isZero()) return call.fail(&.{"only numbers above zero have a logarithm"});
    return series.ln(x);
}

fn exponential(call: *mm.Call, x: Rational) Error!Value {
    const limit = try Rational.of(call.arena, max_exponent);
    if (try (try x.absolute()).order(limit) == .gt) return error.TooLarge;
    return .{ .number = try series.exp(x), .is_exact = false };
}

fn about(number: Rational) Value {
    return .{ .number = number, .is_exact = false };
}

fn expect(call: *mm.Call, name: []const u8, given: []const Value, count: usize) Error!void {
    if (given.len != count) return call.fail(&.{ name, " takes ", try call.decimal(@intCast(count)), " number", if (count == 1) "" else "s", ", not ", try call.decimal(@intCast(given.len)) });
}

fn some(call: *mm.Call, name: []const u8, given: []const Value) Error!void {
    if (given.len == 0) return call.fail(&.{ name, " takes at least one number" });
}

fn is(name: []const u8, known: []const u8) bool {
    return std.ascii.eqlIgnoreCase(name, known);
}
