//! Lengths of time: added to a moment, and found between two.

const std = @import("std");
const mm = @import("mm");
const moment = @import("moment.zig");
const Moment = moment.Moment;

/// Years that results may have.
const first_year = 1;
const last_year = 9999;
const max_number = 10_000_000;

pub const Moved = struct { moment: Moment, is_clamped: bool = false };

const Unit = enum { seconds, days, months, working_days };
const Known = struct { names: []const u8, unit: Unit, size: i64 };
const units = [_]Known{
    .{ .names = "s sec second", .unit = .seconds, .size = 1 },
    .{ .names = "min minute", .unit = .seconds, .size = 60 },
    .{ .names = "h hr hour", .unit = .seconds, .size = 3_600 },
    .{ .names = "d day", .unit = .days, .size = 1 },
    .{ .names = "w wk week", .unit = .days, .size = 7 },
    .{ .names = "fortnight", .unit = .days, .size = 14 },
    .{ .names = "mo mon month", .unit = .months, .size = 1 },
    .{ .names = "quarter", .unit = .months, .size = 3 },
    .{ .names = "y yr year", .unit = .months, .size = 12 },
    .{ .names = "decade", .unit = .months, .size = 120 },
    .{ .names = "workday weekday", .unit = .working_days, .size = 1 },
};

/// Return the moment that lies by `text`, such as `1 month -2 days`, after `start`. Units are added
/// in the order in which they stand.
pub fn add(call: *mm.Call, start: Moment, text: []const u8) mm.Error!Moved {
    var moved: Moved = .{ .moment = start };
    var words = std.mem.tokenizeAny(u8, text, " ,\t");
    var sign: i64 = 1;
    var is_empty = true;
    while (words.next()) |raw| {
        var word = raw;
        if (std.ascii.eqlIgnoreCase(word, "and")) continue;
        while (word.len > 0 and (word[0] == '+' or word[0] == '-')) : (word = word[1..]) {
            sign = if (word[0] == '-') -1 else 1;
        }
        if (word.len == 0) continue;
        const digits = lengthOfDigits(word);
        const amount = std.fmt.parseInt(i64, word[0..digits], 10) catch return misread(call, raw);
        var name = word[digits..];
        if (name.len == 0) name = words.next() orelse return call.fail(&.{ raw, " of what? Write it like '3 months -2 days'" });
        if (amount > max_number) return call.fail(&.{ raw, " is too much" });
        const known = if (isWorking(name)) blk: {
            _ = words.next();
            break :blk units[units.len - 1];
        } else find(name) orelse return misread(call, name);
        moved = step(moved, known, sign * amount);
        if (moved.moment.year < first_year or moved.moment.year > last_year) return call.fail(&.{"the result is outside of the years 1 to 9999"});
        is_empty = false;
    }
    if (is_empty) return misread(call, text);
    return moved;
}

fn lengthOfDigits(word: []const u8) usize {
    for (word, 0..) |byte, i| {
        if (!std.ascii.isDigit(byte)) return i;
    }
    return word.len;
}

fn isWorking(name: []const u8) bool {
    return std.ascii.eqlIgnoreCase(name, "working") or std.ascii.eqlIgnoreCase(name, "business");
}

fn find(name: []const u8) ?Known {
    for (units) |known| {
        var names = std.mem.tokenizeScalar(u8, known.names, ' ');
        while (names.next()) |one| {
            if (std.ascii.eqlIgnoreCase(name, one)) return known;
            const is_plural = name.len == one.len + 1 and (name[one.len] == 's' or name[one.len] == 'S');
            if (is_plural and std.ascii.eqlIgnoreCase(name[0..one.len], one)) return known;
        }
    }
    return null;
}

fn misread(call: *mm.Call, what: []const u8) mm.Error {
    return call.fail(&.{ "'", what, "' is no length of time; write it like '3 months -2 days', with whole numbers of years, months, weeks, days, hours, minutes, or working days" });
}

fn step(from: Moved, known: Known, amount: i64) Moved {
    var to = from;
    switch (known.unit) {
        .months => {
            const total = from.moment.year * 12 + from.moment.month - 1 + amount * known.size;
            to.moment.year = @divFloor(total, 12);
            to.moment.month = @mod(total, 12) + 1;
            const last = moment.monthLength(to.moment.year, to.moment.month);
            to.is_clamped = from.moment.day > last;
            to.moment.day = @min(from.moment.day, last);
        },
        .days => to.moment = withDays(from.moment, from.moment.days() + amount * known.size),
        .working_days => to.moment = withDays(from.moment, afterWorkingDays(from.moment.days(), amount)),
        .seconds => {
            const total = from.moment.days() * 86_400 + (from.moment.time orelse 0) + amount * known.size;
            to.moment = withDays(from.moment, @divFloor(total, 86_400));
            to.moment.time = @mod(total, 86_400);
        },
    }
    return to;
}

fn withDays(from: Moment, days: i64) Moment {
    var to = moment.fromDays(days);
    to.time = from.time;
    to.offset = from.offset;
    return to;
}

fn afterWorkingDays(start: i64, amount: i64) i64 {
    const direction: i64 = if (amount < 0) -1 else 1;
    var day = start;
    // Whole weeks at once, then day by day.
    var left: i64 = @intCast(@abs(amount));
    day += direction * @divTrunc(left, 5) * 7;
    left = @mod(left, 5);
    // From a weekend it is as from the working day before it.
    while (left == 0 and amount != 0 and @mod(day + 3, 7) > 4) day -= direction;
    while (left > 0) {
        day += direction;
        if (@mod(day + 3, 7) <= 4) left -= 1;
    }
    return day;
}

/// Return the days from Monday to Friday, the first one counted and the last one not.
pub fn workingDays(first: i64, last: i64) i64 {
    const weeks = @divTrunc(last - first, 7);
    var total = weeks * 5;
    var day = first + weeks * 7;
    while (day < last) : (day += 1) {
        if (@mod(day + 3, 7) <= 4) total += 1;
    }
    return total;
}

pub const Calendar = struct { years: i64, months: i64, days: i64 };

/// Return how many whole years, months and days are between two moments, in that order.
pub fn calendar(from: Moment, to: Moment) Calendar {
    // In the clock of the first one, so that the days are those that it shows.
    const shift = from.offset orelse 0;
    const end = to.seconds() + shift;
    const last = moment.fromDays(@divFloor(end, 86_400));
    var months = (last.year - from.year) * 12 + last.month - from.month;
    while (months > 0 and local(step(.{ .moment = from }, units[6], months).moment) > end) months -= 1;
    const reached = local(step(.{ .moment = from }, units[6], months).moment);
    return .{
        .years = @divTrunc(months, 12),
        .months = @mod(months, 12),
        .days = @divTrunc(end - reached, 86_400),
    };
}

fn local(at: Moment) i64 {
    return at.days() * 86_400 + (at.time orelse 0);
}

/// Return seconds of a day as hours, minutes and seconds.
pub fn clock(call: *mm.Call, seconds: i64) mm.Error![]const u8 {
    const hours = try call.decimal(@divTrunc(seconds, 3_600));
    const minutes = try call.decimal(@divTrunc(@mod(seconds, 3_600), 60));
    const rest = @mod(seconds, 60);
    const exact = if (rest == 0) "" else try call.join(&.{ " ", try call.decimal(rest), " s" });
    return call.join(&.{ hours, " h ", minutes, " min", exact });
}
