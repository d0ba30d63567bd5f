//! Functions that have no exact value, by their series.
//!
//! Numbers in here are whole: a million millions ... times what they stand for, `digits` behind
//! the point. The last ten digits of results are noise and cut off.

const std = @import("std");
const rational = @import("rational");
const Rational = rational.Rational;
const Error = rational.Error;
const Integer = std.math.big.int.Managed;

const noise = 10;

const Series = struct {
    scale: Integer,
    digits: usize,

    fn init(arena: std.mem.Allocator, digits: usize) Error!Series {
        return .{ .scale = try rational.powerOfTen(arena, digits), .digits = digits };
    }

    fn of(self: Series, x: Rational) Error!Integer {
        return rational.quotient(try rational.product(x.top, self.scale), x.bottom);
    }

    fn toRational(self: Series, value: Integer) Error!Rational {
        const exact = try Rational.fraction(value, try self.scale.clone());
        return exact.round(@intCast(self.digits - noise));
    }

    fn multiply(self: Series, a: Integer, b: Integer) Error!Integer {
        return rational.quotient(try rational.product(a, b), self.scale);
    }

    fn divide(self: Series, a: Integer, b: Integer) Error!Integer {
        return rational.quotient(try rational.product(a, self.scale), b);
    }

    /// Return 1 + x + x^2/2! + ...
    fn exp(self: Series, x: Integer) Error!Integer {
        var sum = try self.scale.clone();
        var term = sum;
        var i: i64 = 1;
        while (!term.eqlZero()) : (i += 1) {
            term = try over(try self.multiply(term, x), i);
            sum = try plus(sum, term);
        }
        return sum;
    }

    /// Return z + z^3/3 + z^5/5 + ..., or with changing signs.
    fn odd(self: Series, z: Integer, sign: i64) Error!Integer {
        const square = try self.multiply(z, z);
        var power = z;
        var sum = z;
        var i: i64 = 3;
        while (!power.eqlZero()) : (i += 2) {
            power = try over(try self.multiply(power, square), sign);
            sum = try plus(sum, try over(power, i));
        }
        return sum;
    }

    /// Return x - x^3/3! + x^5/5! - ...
    fn sin(self: Series, x: Integer) Error!Integer {
        const square = try self.multiply(x, x);
        var term = x;
        var sum = x;
        var i: i64 = 2;
        while (!term.eqlZero()) : (i += 2) {
            term = try over(try self.multiply(term, square), -i * (i + 1));
            sum = try plus(sum, term);
        }
        return sum;
    }

    /// Return pi = 16 arctan(1/5) - 4 arctan(1/239), after Machin.
    fn pi(self: Series) Error!Integer {
        const first = try self.odd(try over(self.scale, 5), -1);
        const second = try self.odd(try over(self.scale, 239), -1);
        return plus(try times(first, 16), try times(second, -4));
    }
};

fn plus(a: Integer, b: Integer) Error!Integer {
    var sum = try Integer.init(a.allocator);
    try sum.add(&a, &b);
    return sum;
}

fn times(a: Integer, factor: i64) Error!Integer {
    return rational.product(a, try Integer.initSet(a.allocator, factor));
}

fn over(a: Integer, divisor: i64) Error!Integer {
    return rational.quotient(a, try Integer.initSet(a.allocator, divisor));
}

/// Return the square root when it is a fraction.
pub fn exactRoot(x: Rational) Error!?Rational {
    if (x.isNegative()) return null;
    const top = try rational.rootOf(x.top);
    const bottom = try rational.rootOf(x.bottom);
    const found = try Rational.fraction(top, bottom);
    return if (try (try found.multiply(found)).order(x) == .eq) found else null;
}

pub fn root(x: Rational) Error!Rational {
    const zeros = (x.bottom.bitCountAbs() -| x.top.bitCountAbs()) / 6;
    const series = try Series.init(x.top.allocator, 50 + zeros);
    return series.toRational(try rational.rootOf(try rational.product(try series.of(x), series.scale)));
}

/// Return e^x: that of x / 2^k, squared k times.
pub fn exp(x: Rational) Error!Rational {
    const size = @abs((try x.floor()).toInt().?);
    const halvings: usize = 8 + (64 - @as(usize, @clz(size)));
    const series = try Series.init(x.top.allocator, 50 + halvings + @as(usize, @intCast(size)));
    const part = try over(try series.of(x), @as(i64, 1) << @intCast(halvings));
    var result = try series.exp(part);
    for (0..halvings) |_| result = try series.multiply(result, result);
    const digits = @min(series.digits, 50 + @as(usize, @intCast(size)));
    return (try series.toRational(result)).round(@intCast(digits));
}

/// Return the natural logarithm of a number above zero: x = y 2^k with y near 1.
pub fn ln(x: Rational) Error!Rational {
    const arena = x.top.allocator;
    const series = try Series.init(arena, 60);
    const shift = @as(i64, @intCast(x.top.bitCountAbs())) - @as(i64, @intCast(x.bottom.bitCountAbs()));
    const two = try Rational.of(arena, 2);
    const near = try series.of(try x.divide(try two.power(shift)));
    const minus = try times(series.scale, -1);
    const part = try series.divide(try plus(near, minus), try plus(near, series.scale));
    const ln2 = try series.odd(try over(series.scale, 3), 1);
    return series.toRational(try times(try plus(try series.odd(part, 1), try times(ln2, shift)), 2));
}

pub fn pi(arena: std.mem.Allocator) Error!Rational {
    const series = try Series.init(arena, 60);
    return series.toRational(try series.pi());
}

/// Return the sine of `x` and of as many right angles as `quarters` says.
pub fn sin(x: Rational, quarters: i64) Error!Rational {
    const arena = x.top.allocator;
    const series = try Series.init(arena, 60 + x.top.bitCountAbs() / 3);
    const half_turn = try series.pi();
    const given = try plus(try series.of(x), try over(try times(half_turn, quarters), 2));
    const turn = try times(half_turn, 2);
    const turns = try rational.quotient(given, turn);
    const angle = try plus(given, try times(try rational.product(turns, turn), -1));
    return (try series.toRational(try series.sin(angle))).round(50);
}
