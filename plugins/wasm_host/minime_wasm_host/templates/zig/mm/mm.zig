//! What a module for Mini Me needs: tools as plain functions, and what the host offers.
//!
//!     pub const tools = [_]mm.Tool{.{
//!         .name = "greet",
//!         .description = "Greet somebody.",
//!         .schema = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}",
//!         .run = greet,
//!     }};
//!     comptime {
//!         mm.exportTools(&tools);
//!     }
//!     fn greet(call: *mm.Call) mm.Error![]const u8 {
//!         return call.join(&.{ "Hello, ", try call.text("name"), "." });
//!     }

const std = @import("std");
pub const json = @import("json.zig");

/// `Failed` is what `Call.fail` returns; the model reads the text that it was given.
pub const Error = error{ Failed, OutOfMemory };

/// A tool that the model can call. `schema` is the JSON schema of its arguments.
pub const Tool = struct {
    name: []const u8,
    description: []const u8,
    schema: []const u8,
    run: *const fn (*Call) Error![]const u8,
};

/// One call: its arguments, and memory that is given back when it ends.
pub const Call = struct {
    arena: std.mem.Allocator,
    arguments: json.Value,
    failure: []const u8 = "",

    /// Return a text that has to be there.
    pub fn text(self: *Call, name: []const u8) Error![]const u8 {
        return try self.optionalText(name) orelse self.fail(&.{ "`", name, "` is missing" });
    }

    /// Return a text, null when it is not given.
    pub fn optionalText(self: *Call, name: []const u8) Error!?[]const u8 {
        const value = self.arguments.get(name) orelse return null;
        return switch (value) {
            .null => null,
            .string, .number => |given| given,
            else => self.fail(&.{ "`", name, "` has to be text" }),
        };
    }

    /// Return whether a flag is set; false when it is not given.
    pub fn flag(self: *Call, name: []const u8) bool {
        const value = self.arguments.get(name) orelse return false;
        return value == .bool and value.bool;
    }

    /// Return the pieces as one text.
    pub fn join(self: *Call, pieces: []const []const u8) Error![]const u8 {
        return std.mem.concat(self.arena, u8, pieces);
    }

    /// Return a whole number as text.
    pub fn decimal(self: *Call, number: i64) Error![]const u8 {
        var buffer: [20]u8 = undefined;
        var at = buffer.len;
        var rest = @abs(number);
        while (rest > 0 or at == buffer.len) : (rest /= 10) {
            at -= 1;
            buffer[at] = '0' + @as(u8, @intCast(rest % 10));
        }
        return self.join(&.{ if (number < 0) "-" else "", buffer[at..] });
    }

    /// End the call; the pieces tell the model what went wrong and what to do better.
    pub fn fail(self: *Call, pieces: []const []const u8) Error {
        self.failure = try self.join(pieces);
        return error.Failed;
    }
};

/// Export `describe` and `call`, which Mini Me asks for.
pub fn exportTools(comptime tools: []const Tool) void {
    const exports = struct {
        fn describe() callconv(.c) i32 {
            output(comptime described(tools));
            return 0;
        }

        fn call() callconv(.c) i32 {
            var memory: std.heap.ArenaAllocator = .init(std.heap.wasm_allocator);
            defer memory.deinit();
            answer(memory.allocator(), tools) catch output("{\"content\":[],\"isError\":true}");
            return 0;
        }
    };
    @export(&exports.describe, .{ .name = "describe" });
    @export(&exports.call, .{ .name = "call" });
}

fn described(comptime tools: []const Tool) []const u8 {
    comptime var text: []const u8 = "{\"mm\":{\"abi\":1},\"tools\":[";
    inline for (tools, 0..) |tool, i| {
        text = text ++ (if (i > 0) "," else "") ++ "{\"name\":\"" ++ tool.name ++
            "\",\"description\":\"" ++ escaped(tool.description) ++ "\",\"inputSchema\":" ++
            tool.schema ++ "}";
    }
    return text ++ "]}";
}

fn escaped(comptime text: []const u8) []const u8 {
    comptime var out: []const u8 = "";
    inline for (text) |byte| {
        out = out ++ if (byte == '"' or byte == '\\') [_]u8{ '\\', byte } else [_]u8{byte};
    }
    return out;
}

fn answer(arena: std.mem.Allocator, comptime tools: []const Tool) Error!void {
    var where: usize = 0;
    const asked = json.parse(arena, try input(arena), &where) catch json.Value.null;
    const params = asked.get("params") orelse json.Value.null;
    const name = params.get("name") orelse json.Value.null;
    var call: Call = .{
        .arena = arena,
        .arguments = params.get("arguments") orelse .{ .object = &.{} },
    };
    const result = run(&call, tools, if (name == .string) name.string else "");
    var out: std.ArrayList(u8) = .empty;
    try out.appendSlice(arena, "{\"content\":[{\"type\":\"text\",\"text\":");
    if (result) |text| {
        try json.writeString(&out, arena, text);
        try out.appendSlice(arena, "}]}");
    } else |failure| {
        const why = if (failure == error.Failed) call.failure else "there is too little memory";
        try json.writeString(&out, arena, why);
        try out.appendSlice(arena, "}],\"isError\":true}");
    }
    output(out.items);
}

fn run(call: *Call, comptime tools: []const Tool, name: []const u8) Error![]const u8 {
    inline for (tools) |tool| {
        if (std.mem.eql(u8, tool.name, name)) return tool.run(call);
    }
    return call.fail(&.{ "there is no tool ", name });
}

// What the host offers. Memory of Extism is apart from that of the module, and copied by words.

const env = struct {
    extern "extism:host/env" fn input_length() u64;
    extern "extism:host/env" fn input_load_u8(at: u64) u32;
    extern "extism:host/env" fn input_load_u64(at: u64) u64;
    extern "extism:host/env" fn output_set(at: u64, length: u64) void;
    extern "extism:host/env" fn alloc(length: u64) u64;
    extern "extism:host/env" fn free(at: u64) void;
    extern "extism:host/env" fn length(at: u64) u64;
    extern "extism:host/env" fn load_u8(at: u64) u32;
    extern "extism:host/env" fn load_u64(at: u64) u64;
    extern "extism:host/env" fn store_u8(at: u64, byte: u32) void;
    extern "extism:host/env" fn store_u64(at: u64, word: u64) void;
    extern "extism:host/env" fn config_get(name: u64) u64;
    extern "extism:host/env" fn log_info(text: u64) void;
    extern "extism:host/env" fn http_request(head: u64, body: u64) u64;
    extern "extism:host/env" fn http_status_code() u32;
};

fn input(arena: std.mem.Allocator) Error![]u8 {
    const text = try arena.alloc(u8, @intCast(env.input_length()));
    var at: usize = 0;
    while (at + 8 <= text.len) : (at += 8) {
        std.mem.writeInt(u64, text[at..][0..8], env.input_load_u64(at), .little);
    }
    while (at < text.len) : (at += 1) text[at] = @truncate(env.input_load_u8(at));
    return text;
}

fn output(text: []const u8) void {
    const memory = put(text);
    env.output_set(memory, text.len);
}

fn put(text: []const u8) u64 {
    const memory = env.alloc(text.len);
    var at: usize = 0;
    while (at + 8 <= text.len) : (at += 8) {
        env.store_u64(memory + at, std.mem.readInt(u64, text[at..][0..8], .little));
    }
    while (at < text.len) : (at += 1) env.store_u8(memory + at, text[at]);
    return memory;
}

fn get(arena: std.mem.Allocator, memory: u64) Error![]const u8 {
    const text = try arena.alloc(u8, @intCast(env.length(memory)));
    var at: usize = 0;
    while (at + 8 <= text.len) : (at += 8) {
        std.mem.writeInt(u64, text[at..][0..8], env.load_u64(memory + at), .little);
    }
    while (at < text.len) : (at += 1) text[at] = @truncate(env.load_u8(memory + at));
    env.free(memory);
    return text;
}

/// Return a value of `config` or `secrets` in the sidecar, null when there is none.
pub fn config(arena: std.mem.Allocator, name: []const u8) Error!?[]const u8 {
    const memory = env.config_get(put(name));
    return if (memory == 0) null else try get(arena, memory);
}

/// Show a line to the user while the call runs; the model does not see it.
pub fn log(line: []const u8) void {
    const memory = put(line);
    env.log_info(memory);
    env.free(memory);
}

pub const Answer = struct { status: u32, body: []const u8 };

/// Send a request to one of the `hosts` in the sidecar. `head` is JSON: `{"url", "method"?,
/// "headers"?}`. A request that is not allowed has status 403 and a body that says why.
pub fn request(arena: std.mem.Allocator, head: []const u8, body: []const u8) Error!Answer {
    const memory = env.http_request(put(head), if (body.len > 0) put(body) else 0);
    return .{ .status = env.http_status_code(), .body = if (memory == 0) "" else try get(arena, memory) };
}
