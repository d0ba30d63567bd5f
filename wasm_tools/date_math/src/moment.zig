//! A date of the Gregorian calendar, with or without a time; read and written.

const std = @import("std");
const mm = @import("mm");

pub const Moment = struct {
    year: i64,
    month: i64,
    day: i64,
    /// Seconds of the day; null when no time was given.
    time: ?i64 = null,
    /// Seconds that the clock there is ahead of UTC; null when that was not given.
    offset: ?i64 = null,

    /// Return days since 1970-01-01.
    pub fn days(self: Moment) i64 {
        return daysFromDate(self.year, self.month, self.day);
    }

    /// Return seconds since 1970-01-01, in UTC when the offset is known.
    pub fn seconds(self: Moment) i64 {
        return self.days() * 86_400 + (self.time orelse 0) - (self.offset orelse 0);
    }

    /// Return the day of the week, 0 for Monday.
    pub fn weekday(self: Moment) i64 {
        return @mod(self.days() + 3, 7);
    }

    pub fn weekdayName(self: Moment) []const u8 {
        const names = [_][]const u8{ "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" };
        return names[@intCast(self.weekday())];
    }

    pub fn text(self: Moment, call: *mm.Call) mm.Error![]const u8 {
        const date = try call.join(&.{ try padded(call, self.year, 4), "-", try padded(call, self.month, 2), "-", try padded(call, self.day, 2) });
        const time = self.time orelse return date;
        const second = @mod(time, 60);
        const clock = try call.join(&.{ try padded(call, @divTrunc(time, 3_600), 2), ":", try padded(call, @divTrunc(@mod(time, 3_600), 60), 2) });
        const exact = if (second == 0) "" else try call.join(&.{ ":", try padded(call, second, 2) });
        return call.join(&.{ date, "T", clock, exact, try self.zone(call) });
    }

    fn zone(self: Moment, call: *mm.Call) mm.Error![]const u8 {
        const offset = self.offset orelse return "";
        if (offset == 0) return "Z";
        const minutes: i64 = @intCast(@abs(offset) / 60);
        return call.join(&.{ if (offset < 0) "-" else "+", try padded(call, @divTrunc(minutes, 60), 2), ":", try padded(call, @mod(minutes, 60), 2) });
    }
};

/// Return a number with zeros before it.
pub fn padded(call: *mm.Call, number: i64, width: usize) mm.Error![]const u8 {
    const digits = try call.decimal(number);
    const zeros = "0000";
    return call.join(&.{ zeros[0..width -| digits.len], digits });
}

pub fn isLeap(year: i64) bool {
    return @mod(year, 4) == 0 and (@mod(year, 100) != 0 or @mod(year, 400) == 0);
}

pub fn monthLength(year: i64, month: i64) i64 {
    if (month == 2) return if (isLeap(year)) 29 else 28;
    return if (month == 4 or month == 6 or month == 9 or month == 11) 30 else 31;
}

/// Return days since 1970-01-01. Years begin in March in here, so that a leap day is the last one.
pub fn daysFromDate(year: i64, month: i64, day: i64) i64 {
    const y = if (month > 2) year else year - 1;
    const m = @mod(month + 9, 12);
    const leap_days = @divFloor(y, 4) - @divFloor(y, 100) + @divFloor(y, 400);
    return y * 365 + leap_days + @divTrunc(m * 306 + 5, 10) + day - 719_469;
}

pub fn fromDays(days: i64) Moment {
    var year = @divFloor(days * 400, 146_097) + 1970;
    while (daysFromDate(year + 1, 1, 1) <= days) year += 1;
    while (daysFromDate(year, 1, 1) > days) year -= 1;
    var month: i64 = 1;
    while (month < 12 and daysFromDate(year, month + 1, 1) <= days) month += 1;
    return .{ .year = year, .month = month, .day = days - daysFromDate(year, month, 1) + 1 };
}

const months = [_][]const u8{ "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec" };

/// Read a date: ISO 8601, with the month as a word, or with points.
pub fn parse(call: *mm.Call, given: []const u8) mm.Error!Moment {
    var reader: Reader = .{ .text = std.mem.trim(u8, given, " \t\r\n") };
    const found = reader.moment() catch return misread(call, given);
    if (found.month < 1 or found.month > 12) return call.fail(&.{ given, " has no such month; write dates as YYYY-MM-DD" });
    if (found.day < 1 or found.day > monthLength(found.year, found.month)) {
        return call.fail(&.{ "there is no ", given, ": that month has ", try call.decimal(monthLength(found.year, found.month)), " days" });
    }
    if (found.time) |time| {
        if (time >= 86_400) return call.fail(&.{ given, " has no such time" });
    }
    return found;
}

fn misread(call: *mm.Call, given: []const u8) mm.Error {
    const words = [_][]const u8{ "today", "now", "tomorrow", "yesterday" };
    for (words) |word| {
        if (std.ascii.eqlIgnoreCase(given, word)) return call.fail(&.{ "there is no clock in here: give the date itself, not ", given });
    }
    if (std.mem.indexOfScalar(u8, given, '/') != null) {
        return call.fail(&.{ given, " can be read in two ways; write dates as YYYY-MM-DD" });
    }
    return call.fail(&.{ "'", given, "' is not a date; write it as YYYY-MM-DD" });
}

const Reader = struct {
    text: []const u8,
    at: usize = 0,

    const Failure = error{NoDate};

    fn moment(self: *Reader) Failure!Moment {
        var found = try self.date();
        if (self.takeAny("T, ") and self.at < self.text.len) {
            while (self.takeAny(" ")) {}
            found.time = try self.time();
            while (self.takeAny(" ")) {}
            found.offset = try self.zone();
        }
        return if (self.at == self.text.len) found else error.NoDate;
    }

    fn date(self: *Reader) Failure!Moment {
        if (std.ascii.isAlphabetic(self.peek())) return self.monthFirst();
        const start = self.at;
        const first = try self.number();
        const width = self.at - start;
        if (width == 4 and self.takeAny("-/.")) {
            const month = try self.number();
            if (!self.takeAny("-/.")) return error.NoDate;
            return .{ .year = first, .month = month, .day = try self.number() };
        }
        if (width == 8) {
            const rest = @mod(first, 10_000);
            return .{ .year = @divTrunc(first, 10_000), .month = @divTrunc(rest, 100), .day = @mod(rest, 100) };
        }
        if (width > 2) return error.NoDate;
        if (self.takeAny(".")) {
            while (self.takeAny(" ")) {}
            if (!std.ascii.isAlphabetic(self.peek())) {
                const month = try self.number();
                if (!self.takeAny(".")) return error.NoDate;
                return .{ .year = try self.year(), .month = month, .day = first };
            }
        }
        self.ordinal();
        while (self.takeAny(" -")) {}
        const month = try self.monthName();
        while (self.takeAny(" -,.")) {}
        return .{ .year = try self.year(), .month = month, .day = first };
    }

    fn monthFirst(self: *Reader) Failure!Moment {
        const month = try self.monthName();
        while (self.takeAny(" .")) {}
        const day = try self.number();
        self.ordinal();
        while (self.takeAny(" ,")) {}
        return .{ .year = try self.year(), .month = month, .day = day };
    }

    fn year(self: *Reader) Failure!i64 {
        const start = self.at;
        const found = try self.number();
        return if (self.at - start == 4) found else error.NoDate;
    }

    fn time(self: *Reader) Failure!i64 {
        const hour = try self.number();
        if (!self.takeAny(":")) return error.NoDate;
        const minute = try self.number();
        const second = if (self.takeAny(":")) try self.number() else 0;
        if (self.takeAny(".")) _ = try self.number();
        if (minute > 59 or second > 59 or hour > 23) return error.NoDate;
        return hour * 3_600 + minute * 60 + second;
    }

    fn zone(self: *Reader) Failure!?i64 {
        if (self.at == self.text.len) return null;
        if (self.takeAny("Zz")) return 0;
        if (std.ascii.eqlIgnoreCase(self.text[self.at..], "UTC")) {
            self.at = self.text.len;
            return 0;
        }
        const sign: i64 = if (self.takeAny("+")) 1 else if (self.takeAny("-")) -1 else return error.NoDate;
        const start = self.at;
        var hours = try self.number();
        var minutes: i64 = 0;
        if (self.at - start == 4) {
            minutes = @mod(hours, 100);
            hours = @divTrunc(hours, 100);
        } else if (self.takeAny(":")) minutes = try self.number();
        if (hours > 15 or minutes > 59) return error.NoDate;
        return sign * (hours * 3_600 + minutes * 60);
    }

    fn monthName(self: *Reader) Failure!i64 {
        const start = self.at;
        while (std.ascii.isAlphabetic(self.peek())) self.at += 1;
        const word = self.text[start..self.at];
        if (word.len < 3) return error.NoDate;
        for (months, 1..) |name, number_| {
            if (std.ascii.eqlIgnoreCase(word[0..3], name)) return @intCast(number_);
        }
        return error.NoDate;
    }

    /// Pass `st`, `nd`, `rd` or `th`.
    fn ordinal(self: *Reader) void {
        for ([_][]const u8{ "st", "nd", "rd", "th" }) |ending| {
            if (std.mem.startsWith(u8, self.text[self.at..], ending)) self.at += 2;
        }
    }

    fn number(self: *Reader) Failure!i64 {
        const start = self.at;
        while (std.ascii.isDigit(self.peek())) self.at += 1;
        if (self.at - start > 9) return error.NoDate;
        return std.fmt.parseInt(i64, self.text[start..self.at], 10) catch error.NoDate;
    }

    fn peek(self: *Reader) u8 {
        return if (self.at < self.text.len) self.text[self.at] else 0;
    }

    fn takeAny(self: *Reader, signs: []const u8) bool {
        if (self.at == self.text.len or std.mem.indexOfScalar(u8, signs, self.text[self.at]) == null) return false;
        self.at += 1;
        return true;
    }
};
