package main

import (
	"strings"

	"github.com/extism/go-pdk"
)

// What the model sees: a name, when to use it, and the JSON schema of the arguments.
const tools = `{"mm":{"abi":1},"tools":[{
	"name": "TOOLNAME",
	"description": "Spell a word: its letters, one after the other.",
	"inputSchema": {
		"type": "object",
		"properties": {"word": {"type": "string"}},
		"required": ["word"],
		"additionalProperties": false
	}
}]}`

type asked struct {
	Params struct {
		Arguments struct {
			Word *string `json:"word"`
		} `json:"arguments"`
	} `json:"params"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type answer struct {
	Content []part `json:"content"`
	IsError bool   `json:"isError"`
}

//go:wasmexport describe
func describe() int32 {
	pdk.OutputString(tools)
	return 0
}

//go:wasmexport call
func call() int32 {
	var input asked
	// An error is a text that the model can act on.
	if err := pdk.InputJSON(&input); err != nil || input.Params.Arguments.Word == nil {
		return say("`word` has to be one word", true)
	}
	return say(strings.Join(strings.Split(*input.Params.Arguments.Word, ""), "-"), false)
}

func say(text string, isError bool) int32 {
	if err := pdk.OutputJSON(answer{[]part{{"text", text}}, isError}); err != nil {
		pdk.SetError(err)
		return 1
	}
	return 0
}

func main() {}
