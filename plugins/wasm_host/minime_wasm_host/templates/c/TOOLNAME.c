#include "mm.h"

/* What the model sees: a name, when to use it, and the JSON schema of the arguments. */
static const char tools[] =
    "{\"mm\":{\"abi\":1},\"tools\":[{\"name\":\"TOOLNAME\","
    "\"description\":\"Spell a word: its letters, one after the other.\","
    "\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"word\":{\"type\":\"string\"}},"
    "\"required\":[\"word\"],\"additionalProperties\":false}}]}";

MM_EXPORT(describe) int describe(void) {
    mm_output(tools, sizeof tools - 1);
    return 0;
}

MM_EXPORT(call) int call(void) {
    static char given[256], spelt[2 * sizeof given];
    char *end = spelt;

    if (!mm_read()) return mm_answer("this is too long; take less than 64 kB", 1);
    /* An error is a text that the model can act on. */
    if (!mm_argument("word", given, sizeof given))
        return mm_answer("`word` has to be one word of at most 255 bytes", 1);
    for (const char *at = given; *at; at++) {
        /* The first byte of each letter does not begin with the bits 10. */
        if ((*at & 0xc0) != 0x80 && at > given) *end++ = '-';
        *end++ = *at;
    }
    *end = 0;
    return mm_answer(spelt, 0);
}
