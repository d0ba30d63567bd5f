use extism_pdk::*;
use serde_json::{json, Value};

/// What the model sees: a name, when to use it, and the JSON schema of the arguments.
#[plugin_fn]
pub fn describe() -> FnResult<String> {
    let tools = json!({"mm": {"abi": 1}, "tools": [{
        "name": "TOOLNAME",
        "description": "Spell a word: its letters, one after the other.",
        "inputSchema": {
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
            "additionalProperties": false
        }
    }]});
    Ok(tools.to_string())
}

#[plugin_fn]
pub fn call(input: String) -> FnResult<String> {
    let asked: Value = serde_json::from_str(&input)?;
    // An error is a text that the model can act on.
    let (text, is_error) = match asked["params"]["arguments"]["word"].as_str() {
        Some(word) => (spell(word), false),
        None => ("`word` has to be one word".to_string(), true),
    };
    let answer = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
    Ok(answer.to_string())
}

fn spell(word: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join("-")
}
