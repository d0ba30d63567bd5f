//! Fractions of whole numbers of any size, and how they are read and written as decimals.

const std = @import("std");
const Allocator = std.mem.Allocator;
const Integer = std.math.big.int.Managed;

/// Largest size of a number, in bits: about fifty thousand decimal digits.
pub const max_bits = 166_000;

pub const Error = error{ TooLarge, DivisionByZero, OutOfMemory };

/// A fraction in lowest terms; `bottom` is above zero. Its memory is never given back.
pub const Rational = struct {
    top: Integer,
    bottom: Integer,

    pub fn of(arena: Allocator, value: i64) Error!Rational {
        return whole(try Integer.initSet(arena, value));
    }

    pub fn whole(value: Integer) Error!Rational {
        if (value.bitCountAbs() > max_bits) return error.TooLarge;
        return .{ .top = value, .bottom = try Integer.initSet(value.allocator, 1) };
    }

    /// Return the fraction; of numbers that the caller needs no more.
    pub fn fraction(top: Integer, bottom: Integer) Error!Rational {
        if (bottom.eqlZero()) return error.DivisionByZero;
        var result: Rational = .{ .top = top, .bottom = bottom };
        if (!bottom.isPositive()) {
            result.top.negate();
            result.bottom.negate();
        }
        if (!result.isWhole()) {
            const common = try gcd(result.top, result.bottom);
            result.top = try quotient(result.top, common);
            result.bottom = try quotient(result.bottom, common);
        }
        if (@max(result.top.bitCountAbs(), result.bottom.bitCountAbs()) > max_bits) return error.TooLarge;
        return result;
    }

    /// Read digits with at most one `.` and an exponent, as JSON and people write them.
    pub fn parse(arena: Allocator, text: []const u8) (Error || error{NotANumber})!Rational {
        var digits: std.ArrayList(u8) = .empty;
        var scale: i64 = 0;
        var at: usize = 0;
        var seen_point = false;
        const is_negative = text.len > 0 and text[0] == '-';
        if (is_negative or (text.len > 0 and text[0] == '+')) at = 1;
        while (at < text.len) : (at += 1) {
            const byte = text[at];
            if (std.ascii.isDigit(byte)) {
                try digits.append(arena, byte);
                if (seen_point) scale -= 1;
            } else if (byte == '.' and !seen_point) {
                seen_point = true;
            } else if (byte != '_') break;
        }
        if (digits.items.len == 0) return error.NotANumber;
        if (digits.items.len > max_bits / 4) return error.TooLarge;
        if (at < text.len) {
            if (text[at] != 'e' and text[at] != 'E') return error.NotANumber;
            const exponent = std.fmt.parseInt(i64, text[at + 1 ..], 10) catch
                return error.NotANumber;
            if (@abs(exponent) > max_bits / 4) return error.TooLarge;
            scale += exponent;
        }
        var top = try Integer.init(arena);
        top.setString(10, digits.items) catch return error.NotANumber;
        if (is_negative) top.negate();
        var bottom = try Integer.initSet(arena, 1);
        const factor = try powerOfTen(arena, @intCast(@abs(scale)));
        if (scale < 0) bottom = factor else top = try product(top, factor);
        return fraction(top, bottom);
    }

    pub fn add(a: Rational, b: Rational) Error!Rational {
        const left = try product(a.top, b.bottom);
        const right = try product(b.top, a.bottom);
        var sum = try Integer.init(a.top.allocator);
        try sum.add(&left, &right);
        return fraction(sum, try product(a.bottom, b.bottom));
    }

    pub fn subtract(a: Rational, b: Rational) Error!Rational {
        return a.add(try b.negated());
    }

    pub fn multiply(a: Rational, b: Rational) Error!Rational {
        const top = try product(a.top, b.top);
        return fraction(top, try product(a.bottom, b.bottom));
    }

    pub fn divide(a: Rational, b: Rational) Error!Rational {
        const top = try product(a.top, b.bottom);
        return fraction(top, try product(a.bottom, b.top));
    }

    pub fn negated(a: Rational) Error!Rational {
        var top = try a.top.clone();
        top.negate();
        return .{ .top = top, .bottom = a.bottom };
    }

    pub fn absolute(a: Rational) Error!Rational {
        return if (a.isNegative()) a.negated() else a;
    }

    /// Return the largest whole number that is not above `a`.
    pub fn floor(a: Rational) Error!Rational {
        if (a.isWhole()) return a;
        var below = try quotient(a.top, a.bottom);
        if (a.isNegative()) try below.addScalar(&below, -1);
        return whole(below);
    }

    /// Return `a` rounded to `digits` behind the point; a half goes away from zero.
    pub fn round(a: Rational, digits: i64) Error!Rational {
        const ten = try of(a.top.allocator, 10);
        const factor = try ten.power(digits);
        const half = try (try of(a.top.allocator, 1)).divide(try of(a.top.allocator, 2));
        const moved = try (try (try a.absolute()).multiply(factor)).add(half);
        const result = try (try moved.floor()).divide(factor);
        return if (a.isNegative()) result.negated() else result;
    }

    pub fn power(a: Rational, exponent: i64) Error!Rational {
        const times: u64 = @abs(exponent);
        const bits = @max(a.top.bitCountAbs(), a.bottom.bitCountAbs());
        // Powers of 0, 1 and -1 do not grow.
        if (bits > 1 and (times > max_bits or (bits - 1) * times > max_bits)) return error.TooLarge;
        const small: u32 = if (bits > 1) @intCast(times) else @intCast(times % 2 + @as(u64, if (times > 0) 2 else 0));
        const top = try raise(a.top, small);
        const bottom = try raise(a.bottom, small);
        if (exponent < 0) return fraction(bottom, top);
        return fraction(top, bottom);
    }

    pub fn order(a: Rational, b: Rational) Error!std.math.Order {
        const left = try product(a.top, b.bottom);
        const right = try product(b.top, a.bottom);
        return left.order(right);
    }

    pub fn isNegative(a: Rational) bool {
        return !a.top.isPositive() and !a.top.eqlZero();
    }

    pub fn isZero(a: Rational) bool {
        return a.top.eqlZero();
    }

    pub fn isWhole(a: Rational) bool {
        return a.bottom.toConst().orderAgainstScalar(1) == .eq;
    }

    /// Return the number as an i64, null when it is none.
    pub fn toInt(a: Rational) ?i64 {
        if (!a.isWhole()) return null;
        return a.top.toInt(i64) catch null;
    }

    /// Return how many digits behind the point write it exactly; null when none do.
    pub fn decimals(a: Rational) Error!?usize {
        var rest = try a.bottom.clone();
        var count: [2]usize = .{ 0, 0 };
        for ([_]u8{ 2, 5 }, &count) |prime, *times| {
            const divisor = try Integer.initSet(a.top.allocator, prime);
            while (true) {
                var share = try Integer.init(a.top.allocator);
                var left = try Integer.init(a.top.allocator);
                try share.divTrunc(&left, &rest, &divisor);
                if (!left.eqlZero()) break;
                rest = share;
                times.* += 1;
            }
        }
        if (rest.toConst().orderAgainstScalar(1) != .eq) return null;
        return @max(count[0], count[1]);
    }

    /// Return it with `digits` behind the point, rounded, without zeros at the end.
    pub fn toDecimal(a: Rational, digits: usize) Error![]const u8 {
        const rounded = try a.round(@intCast(digits));
        const factor = try powerOfTen(a.top.allocator, digits);
        const moved = try quotient(try product(rounded.top, factor), rounded.bottom);
        const text = try moved.toConst().abs().toStringAlloc(a.top.allocator, 10, .lower);
        var out: std.ArrayList(u8) = .empty;
        if (rounded.isNegative()) try out.append(a.top.allocator, '-');
        if (text.len > digits) {
            try out.appendSlice(a.top.allocator, text[0 .. text.len - digits]);
        } else try out.append(a.top.allocator, '0');
        if (digits == 0) return out.items;
        try out.append(a.top.allocator, '.');
        try out.appendNTimes(a.top.allocator, '0', digits -| text.len);
        try out.appendSlice(a.top.allocator, text[text.len -| digits..]);
        const kept = std.mem.trimEnd(u8, out.items, "0");
        return std.mem.trimEnd(u8, kept, ".");
    }

    /// Return it exactly when that takes at most `digits` behind the point, else rounded to them.
    pub fn toText(a: Rational, digits: usize) Error![]const u8 {
        const exact = try a.decimals() orelse digits;
        return a.toDecimal(@min(exact, digits));
    }
};

pub fn product(a: Integer, b: Integer) Error!Integer {
    if (a.bitCountAbs() + b.bitCountAbs() > 2 * max_bits) return error.TooLarge;
    var result = try Integer.init(a.allocator);
    try result.mul(&a, &b);
    return result;
}

/// Return a / b, without what is left.
pub fn quotient(a: Integer, b: Integer) Error!Integer {
    var result = try Integer.init(a.allocator);
    var rest = try Integer.init(a.allocator);
    try result.divTrunc(&rest, &a, &b);
    return result;
}

/// Return the largest number that divides both, after Euclid.
pub fn gcd(a: Integer, b: Integer) Error!Integer {
    var large = try a.clone();
    var small = try b.clone();
    var share = try Integer.init(a.allocator);
    var rest = try Integer.init(a.allocator);
    large.abs();
    small.abs();
    while (!small.eqlZero()) {
        try share.divTrunc(&rest, &large, &small);
        large.swap(&small);
        small.swap(&rest);
    }
    return large;
}

fn raise(base: Integer, exponent: u32) Error!Integer {
    var result = try Integer.initSet(base.allocator, 1);
    var square = base;
    var left = exponent;
    while (left > 0) : (left >>= 1) {
        if (left & 1 == 1) result = try product(result, square);
        if (left > 1) square = try product(square, square);
    }
    return result;
}

pub fn powerOfTen(arena: Allocator, exponent: usize) Error!Integer {
    return raise(try Integer.initSet(arena, 10), @intCast(exponent));
}

/// Return the largest whole number whose square is not above `value`, after Newton.
pub fn rootOf(value: Integer) Error!Integer {
    if (value.eqlZero()) return value;
    const two = try Integer.initSet(value.allocator, 2);
    var found = try raise(two, @intCast(value.bitCountAbs() / 2 + 1));
    while (true) {
        var next = try quotient(value, found);
        try next.add(&next, &found);
        next = try quotient(next, two);
        if (next.order(found) != .lt) return found;
        found = next;
    }
}
