module TOOLNAME

go 1.23

require github.com/extism/go-pdk v1.1.3
