//! Expressions: read, computed, and written so that what is rounded is said to be.

const std = @import("std");
const mm = @import("mm");
const Rational = @import("rational").Rational;
const functions = @import("functions.zig");

const max_length = 2_000;
const max_depth = 100;
/// Digits behind the point that are shown.
const shown_decimals = 30;
/// Digits up to which a whole number is shown in full.
const shown_digits = 1_000;

/// A number; `is_exact` is false when a digit of it was rounded.
pub const Value = struct { number: Rational, is_exact: bool = true };

/// Return the value of an expression as text.
pub fn answer(call: *mm.Call, expression: []const u8) mm.Error![]const u8 {
    if (expression.len > max_length) return call.fail(&.{ "the expression is longer than ", try call.decimal(max_length), " characters; compute it in parts" });
    var reader: Reader = .{ .call = call, .text = expression };
    const value = reader.whole() catch |failure| return switch (failure) {
        error.DivisionByZero => call.fail(&.{"division by zero"}),
        error.TooLarge => call.fail(&.{"the result, or a step to it, has more than 50000 digits"}),
        else => |other| @errorCast(other),
    };
    return write(call, value) catch |failure| return switch (failure) {
        error.DivisionByZero, error.TooLarge => call.fail(&.{"the result has too many digits to be written"}),
        else => |other| @errorCast(other),
    };
}

fn write(call: *mm.Call, value: Value) Error![]const u8 {
    const number = value.number;
    if (number.isWhole()) {
        const text = try number.toDecimal(0);
        if (!value.is_exact) return call.join(&.{ "about ", text });
        if (text.len <= shown_digits) return text;
        return call.join(&.{ text[0..50], "...", text[text.len - 50 ..], " (a number of ", try call.decimal(@intCast(text.len - @intFromBool(number.isNegative()))), " digits)" });
    }
    const digits = shown_decimals + leadingZeros(number);
    if (digits > 300) return call.join(&.{ "about ", try scientific(call, number) });
    const decimals = try number.decimals();
    if (value.is_exact and decimals != null and decimals.? <= digits) return number.toDecimal(decimals.?);
    const text = try number.toDecimal(digits - shown_decimals / 3);
    const is_short = number.top.bitCountAbs() < 100 and number.bottom.bitCountAbs() < 100;
    if (!value.is_exact or !is_short) return call.join(&.{ "about ", text });
    const top = try number.top.toConst().toStringAlloc(call.arena, 10, .lower);
    const bottom = try number.bottom.toConst().toStringAlloc(call.arena, 10, .lower);
    return call.join(&.{ top, "/", bottom, ", about ", text });
}

/// Return about how many zeros follow the point before the first other digit.
fn leadingZeros(number: Rational) usize {
    const bits = number.bottom.bitCountAbs() -| number.top.bitCountAbs();
    return bits * 30_103 / 100_000;
}

fn scientific(call: *mm.Call, number: Rational) Error![]const u8 {
    const ten = try Rational.of(call.arena, 10);
    var exponent: i64 = -@as(i64, @intCast(leadingZeros(number)));
    var mantissa = try number.multiply(try ten.power(-exponent));
    const one = try Rational.of(call.arena, 1);
    while (try (try mantissa.absolute()).order(one) == .lt) {
        mantissa = try mantissa.multiply(ten);
        exponent -= 1;
    }
    return call.join(&.{ try mantissa.toDecimal(20), "e", try call.decimal(exponent) });
}

/// What can go wrong besides what `mm.Error` has.
pub const Error = mm.Error || error{ TooLarge, DivisionByZero };

const Reader = struct {
    call: *mm.Call,
    text: []const u8,
    at: usize = 0,
    depth: usize = 0,

    fn whole(self: *Reader) Error!Value {
        const value = try self.sum();
        self.space();
        if (self.at < self.text.len) return self.unexpected();
        return value;
    }

    fn sum(self: *Reader) Error!Value {
        self.depth += 1;
        defer self.depth -= 1;
        if (self.depth > max_depth) return self.call.fail(&.{"too many brackets inside of each other"});
        var left = try self.term();
        while (true) {
            if (self.take("+")) {
                left = try combine(left, try self.term(), Rational.add);
            } else if (self.take("-") or self.take("\u{2212}")) {
                left = try combine(left, try self.term(), Rational.subtract);
            } else return left;
        }
    }

    fn term(self: *Reader) Error!Value {
        var left = try self.signed();
        while (true) {
            if (self.take("//") or self.takeWord("div")) {
                left = try combine(left, try self.signed(), floorDivide);
            } else if (self.take("/") or self.take("\u{f7}")) {
                left = try combine(left, try self.signed(), Rational.divide);
            } else if (self.isPower()) {
                return left;
            } else if (self.take("*") or self.take("\u{d7}") or self.take("\u{b7}") or self.takeWord("of")) {
                left = try combine(left, try self.signed(), Rational.multiply);
            } else if (self.takeWord("mod") or self.take("%")) {
                left = try combine(left, try self.signed(), functions.modulo);
            } else return left;
        }
    }

    fn isPower(self: *Reader) bool {
        self.space();
        return std.mem.startsWith(u8, self.text[self.at..], "**");
    }

    fn signed(self: *Reader) Error!Value {
        self.depth += 1;
        defer self.depth -= 1;
        if (self.depth > max_depth) return self.call.fail(&.{"too many signs after each other"});
        if (self.take("-") or self.take("\u{2212}")) {
            const value = try self.signed();
            return .{ .number = try value.number.negated(), .is_exact = value.is_exact };
        }
        if (self.take("+")) return self.signed();
        const base = try self.postfix();
        if (self.take("**") or self.take("^")) return functions.power(self.call, base, try self.signed());
        return base;
    }

    fn postfix(self: *Reader) Error!Value {
        var value = try self.atom();
        while (true) {
            if (self.take("!")) {
                value = try functions.factorial(self.call, value);
            } else if (self.isPercent()) {
                const hundred = try Rational.of(self.call.arena, 100);
                value.number = try value.number.divide(hundred);
            } else return value;
        }
    }

    /// Take a `%` that no number follows: with one it is the rest of a division.
    fn isPercent(self: *Reader) bool {
        self.space();
        if (self.peek() != '%') return false;
        const rest = std.mem.trimStart(u8, self.text[self.at + 1 ..], " \t");
        const is_number = rest.len > 0 and (std.ascii.isAlphanumeric(rest[0]) or rest[0] == '(' or rest[0] == '.');
        if (is_number and !std.mem.startsWith(u8, rest, "of ") and !std.mem.startsWith(u8, rest, "of(")) return false;
        self.at += 1;
        return true;
    }

    fn atom(self: *Reader) Error!Value {
        self.space();
        const first = self.peek();
        if (std.ascii.isDigit(first) or first == '.') return self.number();
        if (std.ascii.isAlphabetic(first)) return self.named();
        if (self.take("\u{3c0}")) return functions.constant(self.call, "pi");
        if (self.take("(")) {
            const value = try self.sum();
            if (!self.take(")")) return self.unexpected();
            return value;
        }
        return self.unexpected();
    }

    fn number(self: *Reader) Error!Value {
        const start = self.at;
        while (std.ascii.isDigit(self.peek()) or self.peek() == '.' or self.peek() == '_') self.at += 1;
        if (self.hasExponent()) {
            self.at += 2;
            while (std.ascii.isDigit(self.peek())) self.at += 1;
        }
        const text = self.text[start..self.at];
        const value = Rational.parse(self.call.arena, text) catch |failure| return switch (failure) {
            error.NotANumber => self.call.fail(&.{ text, " is not a number: write it like 1234.5" }),
            else => |other| other,
        };
        return .{ .number = value };
    }

    fn hasExponent(self: *Reader) bool {
        const rest = self.text[self.at..];
        if (rest.len < 2 or (rest[0] != 'e' and rest[0] != 'E')) return false;
        if (std.ascii.isDigit(rest[1])) return true;
        return rest.len > 2 and (rest[1] == '-' or rest[1] == '+') and std.ascii.isDigit(rest[2]);
    }

    fn named(self: *Reader) Error!Value {
        const start = self.at;
        while (std.ascii.isAlphanumeric(self.peek()) or self.peek() == '_') self.at += 1;
        const name = self.text[start..self.at];
        if (!self.take("(")) return functions.constant(self.call, name);
        var given: std.ArrayList(Value) = .empty;
        if (!self.take(")")) {
            while (true) {
                try given.append(self.call.arena, try self.sum());
                if (self.take(")")) break;
                if (!self.take(",") and !self.take(";")) return self.unexpected();
            }
        }
        return functions.apply(self.call, name, given.items);
    }

    fn unexpected(self: *Reader) Error {
        self.space();
        const rest = self.text[self.at..];
        if (rest.len == 0) return self.call.fail(&.{"the expression ends too early"});
        const hint = if (rest[0] == ',')
            ": write numbers without thousands separators, like 1234.5"
        else if (std.mem.indexOfScalar(u8, "<>=", rest[0]) != null)
            ": comparisons are not computed; subtract instead"
        else if (std.ascii.isAlphanumeric(rest[0]) or rest[0] == '(')
            ": is an operator missing, such as *?"
        else
            "";
        const length = std.unicode.utf8ByteSequenceLength(rest[0]) catch 1;
        return self.call.fail(&.{ "'", rest[0..@min(length, rest.len)], "' at character ", try self.call.decimal(@intCast(self.at + 1)), " is not expected", hint });
    }

    fn space(self: *Reader) void {
        while (self.peek() == ' ' or self.peek() == '\t' or self.peek() == '\n') self.at += 1;
    }

    fn peek(self: *Reader) u8 {
        return if (self.at < self.text.len) self.text[self.at] else 0;
    }

    fn take(self: *Reader, sign: []const u8) bool {
        self.space();
        if (!std.mem.startsWith(u8, self.text[self.at..], sign)) return false;
        self.at += sign.len;
        return true;
    }

    fn takeWord(self: *Reader, word: []const u8) bool {
        const start = self.at;
        if (self.take(word) and !std.ascii.isAlphanumeric(self.peek())) return true;
        self.at = start;
        return false;
    }
};

fn combine(a: Value, b: Value, comptime operation: anytype) Error!Value {
    return .{ .number = try operation(a.number, b.number), .is_exact = a.is_exact and b.is_exact };
}

fn floorDivide(a: Rational, b: Rational) !Rational {
    return (try a.divide(b)).floor();
}
