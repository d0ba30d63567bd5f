//! Dates: what day it is, what comes before or after, and how long it is between two.

const std = @import("std");
const mm = @import("mm");
const moment = @import("moment.zig");
const span = @import("span.zig");
const Moment = moment.Moment;

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "date_math",
    .description =
    \\Compute with dates. Give `date` alone for its weekday, week and day of the year; with `add` ("3 months -2 days", "10 working days", "90 minutes") for another date; with `until` for the time between. Dates: 2024-02-29, 2024-02-29T13:00, 29 Feb 2024. It has no clock: give today's date too.
    ,
    .schema =
    \\{"type":"object","properties":{"date":{"type":"string"},"add":{"type":"string"},"until":{"type":"string"}},"required":["date"],"additionalProperties":false}
    ,
    .run = run,
}};

comptime {
    mm.exportTools(&tools);
}

fn run(call: *mm.Call) mm.Error![]const u8 {
    const start = try moment.parse(call, try call.text("date"));
    const add = try call.optionalText("add") orelse "";
    const until = try call.optionalText("until") orelse "";
    if (add.len > 0 and until.len > 0) return call.fail(&.{"give either `add` or `until`"});
    if (until.len > 0) return between(call, start, try moment.parse(call, until));
    if (add.len == 0) return about(call, start);
    const moved = try span.add(call, start, add);
    const note = if (moved.is_clamped) " (the month has no such day, its last one is taken)" else "";
    return call.join(&.{ try moved.moment.text(call), " ", moved.moment.weekdayName(), note });
}

fn about(call: *mm.Call, at: Moment) mm.Error![]const u8 {
    const first = moment.daysFromDate(at.year, 1, 1);
    const length: i64 = if (moment.isLeap(at.year)) 366 else 365;
    const day_of_year = at.days() - first + 1;
    // The ISO week belongs to the year of its Thursday.
    const thursday = at.days() - at.weekday() + 3;
    const week_year = moment.fromDays(thursday).year;
    const week = @divTrunc(thursday - moment.daysFromDate(week_year, 1, 1), 7) + 1;
    return call.join(&.{
        try at.text(call),             " is a ",
        at.weekdayName(),              ": day ",
        try call.decimal(day_of_year), " of ",
        try call.decimal(at.year),     if (length == 366) " (a leap year)" else "",
        ", ",                          try call.decimal(length - day_of_year),
        " days left; ISO week ",       try call.decimal(week_year),
        "-W",                          try moment.padded(call, week, 2),
        "; quarter ",                  try call.decimal(@divTrunc(at.month - 1, 3) + 1),
        "; its month has ",            try call.decimal(moment.monthLength(at.year, at.month)),
        " days",
    });
}

fn between(call: *mm.Call, a: Moment, b: Moment) mm.Error![]const u8 {
    if ((a.offset == null) != (b.offset == null)) {
        return call.fail(&.{"one time has an offset from UTC and the other has none; give it to both or to none"});
    }
    const is_backwards = b.seconds() < a.seconds();
    const from = if (is_backwards) b else a;
    const to = if (is_backwards) a else b;
    const total = to.seconds() - from.seconds();
    const days = @divTrunc(total, 86_400);
    var parts: std.ArrayList([]const u8) = .empty;
    if (is_backwards) try parts.append(call.arena, "`until` is before `date`, by ");
    try parts.appendSlice(call.arena, &.{ try call.decimal(days), plural(days, " day", " days") });
    if (@mod(total, 86_400) != 0) {
        try parts.appendSlice(call.arena, &.{ " ", try span.clock(call, @mod(total, 86_400)), "; in all ", try call.decimal(@divTrunc(total, 3_600)), " hours ", try call.decimal(@divTrunc(@mod(total, 3_600), 60)), " minutes" });
    }
    const calendar = span.calendar(from, to);
    try parts.appendSlice(call.arena, &.{
        " = ",                                                           try call.decimal(calendar.years),
        plural(calendar.years, " year ", " years "),                     try call.decimal(calendar.months),
        plural(calendar.months, " month ", " months "),                  try call.decimal(calendar.days),
        plural(calendar.days, " day", " days"),                          " = ",
        try call.decimal(@divTrunc(days, 7)),                            plural(@divTrunc(days, 7), " week ", " weeks "),
        try call.decimal(@mod(days, 7)),                                 plural(@mod(days, 7), " day", " days"),
        "; working days (Monday to Friday, the last day not counted): ", try call.decimal(span.workingDays(from.days(), to.days())),
    });
    return call.join(parts.items);
}

fn plural(number: i64, one: []const u8, many: []const u8) []const u8 {
    return if (number == 1) one else many;
}
