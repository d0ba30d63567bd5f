/* What a module for Mini Me needs: its input, its output, and the arguments of a call. */
#ifndef MM_H
#define MM_H

#define MM_MAX (64 << 10) /* bytes of a call, and of an answer */
#define MM_HOST(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
#define MM_EXPORT(name) __attribute__((export_name(#name)))

typedef unsigned char byte;
typedef unsigned long long word;

/* What the host offers. Its memory is apart from ours. */
MM_HOST(input_length) word mm_input_length(void);
MM_HOST(input_load_u8) byte mm_input_load_u8(word at);
MM_HOST(alloc) word mm_alloc(word length);
MM_HOST(store_u8) void mm_store_u8(word at, byte value);
MM_HOST(output_set) void mm_output_set(word at, word length);

static char mm_in[MM_MAX + 1], mm_out[MM_MAX];
static int mm_length;

static int mm_size(const char *text) {
    int size = 0;
    while (text[size]) size++;
    return size;
}

/* Give `length` bytes back to Mini Me. */
static void mm_output(const char *text, int length) {
    word memory = mm_alloc(length);
    for (int i = 0; i < length; i++) mm_store_u8(memory + i, text[i]);
    mm_output_set(memory, length);
}

/* Add a text to the answer; what does not fit is left out. */
static void mm_add(const char *text) {
    while (*text && mm_length < MM_MAX) mm_out[mm_length++] = *text++;
}

/* Add a text to the answer as JSON writes it. */
static void mm_add_quoted(const char *text) {
    static const char digits[] = "0123456789abcdef";
    mm_add("\"");
    for (; *text; text++) {
        byte c = *text;
        char plain[] = {c, 0}, escaped[] = {'\\', c, 0};
        char control[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], 0};
        mm_add(c < ' ' ? control : c == '"' || c == '\\' ? escaped : plain);
    }
    mm_add("\"");
}

/* End the call with a text for the model. */
static int mm_answer(const char *text, int is_error) {
    mm_length = 0;
    mm_add("{\"content\":[{\"type\":\"text\",\"text\":");
    mm_add_quoted(text);
    mm_add(is_error ? "}],\"isError\":true}" : "}]}");
    mm_output(mm_out, mm_length);
    return 0;
}

/* Read what Mini Me asks. Returns 0 when it is too long. */
static int mm_read(void) {
    word length = mm_input_length();
    if (length > MM_MAX) return 0;
    for (word i = 0; i < length; i++) mm_in[i] = mm_input_load_u8(i);
    mm_in[length] = 0;
    return 1;
}

/* A very small reader of JSON. Each function returns where the thing that it read ends. */

static const char *mm_space(const char *at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') at++;
    return at;
}

static const char *mm_skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *mm_skip(const char *at) {
    at = mm_space(at);
    if (*at == '"') return mm_skip_string(at);
    if (*at != '{' && *at != '[') {
        while (*at && *at != ',' && *at != '}' && *at != ']') at++;
        return at;
    }
    int depth = 0;
    do {
        if (*at == '"') {
            at = mm_skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        if (*at) at++;
    } while (depth > 0 && *at);
    return at;
}

static int mm_is(const char *quoted, const char *name) {
    int size = mm_size(name);
    for (int i = 0; i < size; i++)
        if (quoted[i + 1] != name[i]) return 0;
    return quoted[size + 1] == '"';
}

/* Return the value of `name` in the object at `at`, 0 when it has none. */
static const char *mm_member(const char *at, const char *name) {
    if (!at || *(at = mm_space(at)) != '{') return 0;
    at = mm_space(at + 1);
    while (*at == '"') {
        const char *key = at;
        at = mm_space(mm_skip_string(at));
        if (*at != ':') return 0;
        at = mm_space(at + 1);
        if (mm_is(key, name)) return at;
        at = mm_space(mm_skip(at));
        if (*at == ',') at = mm_space(at + 1);
    }
    return 0;
}

static int mm_hex(char c) {
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* Read the text at `at` into `text`. Returns 0 when there is none, or it is too long. */
static int mm_text(const char *at, char *text, int size) {
    int length = 0;
    if (!at || *at != '"') return 0;
    for (at++; *at && *at != '"'; at++) {
        unsigned code = (byte)*at;
        if (code == '\\') {
            code = *++at;
            if (code == 'n') code = '\n';
            else if (code == 't') code = '\t';
            else if (code == 'r') code = '\r';
            else if (code == 'b') code = '\b';
            else if (code == 'f') code = '\f';
            else if (code == 'u') {
                code = 0;
                for (int i = 0; i < 4 && at[1]; i++) code = code << 4 | mm_hex(*++at);
                if (length + 4 > size) return 0;
                /* A character outside of ASCII becomes UTF-8; halves of pairs stay as they are. */
                if (code >= 0x800) text[length++] = 0xe0 | code >> 12;
                if (code >= 0x80) text[length++] = code >= 0x800 ? 0x80 | (code >> 6 & 63) : 0xc0 | code >> 6;
                if (code >= 0x80) code = 0x80 | (code & 63);
            }
        }
        if (length + 2 > size) return 0;
        text[length++] = code;
    }
    text[length] = 0;
    return *at == '"';
}

/* Read the argument `name` of a call into `text`, at most `size` bytes with its end. */
static int mm_argument(const char *name, char *text, int size) {
    const char *params = mm_member(mm_in, "params");
    return mm_text(mm_member(mm_member(params, "arguments"), name), text, size);
}

#endif
