package main

import (
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

const longestText = 4000

// flushNative empties the buffers of C; set where the package has native code.
var flushNative = func() {}

// worker is one conversation. kept: what calls have returned, until they are forgotten.
type worker struct {
	kept       map[int64]*answer
	generators map[string]reflect.Value
	printed    *os.File
}

type answer struct {
	value  reflect.Value
	fields []interface{}
	form   *form
}

// newWorker takes standard output and error for itself.
func newWorker() *worker {
	printed, err := os.CreateTemp("", "printed")
	exitOn(err)
	exitOn(os.Remove(printed.Name()))
	exitOn(duplicated(int(printed.Fd()), 1))
	exitOn(duplicated(int(printed.Fd()), 2))
	w := &worker{printed: printed}
	w.forget()
	return w
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (w *worker) forget() {
	w.kept, w.generators = map[int64]*answer{}, map[string]reflect.Value{}
}

func (w *worker) answer(request mapping) mapping {
	w.silence()
	id, _ := request.get("id").(int64)
	told := &told{}
	raised := guarded(func() *failure { return w.perform(id, request, told) })
	reply := mapping{{"id", id}}
	if raised != nil {
		reply = append(reply, entry{"error", raised.sent()})
	} else {
		reply = append(reply, entry{"value", told.value})
		if told.measured {
			reply = append(reply, entry{"peak", told.peak})
		}
	}
	return append(reply, entry{"changed", append([]interface{}{}, told.changed...)}, entry{"seconds", told.seconds},
		entry{"printed", w.said()}, entry{"warnings", []interface{}{}})
}

func (w *worker) silence() {
	w.printed.Truncate(0)
	w.printed.Seek(0, 0)
}

func (w *worker) said() string {
	flushNative()
	raw := make([]byte, utf8.UTFMax*longestText)
	count, _ := w.printed.ReadAt(raw, 0)
	return shortened(string(raw[:count]))
}

func shortened(text string) string {
	found := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(found) > longestText {
		found = found[:longestText]
	}
	return string(found)
}

// told is what an answer says beside an error.
type told struct {
	value         interface{}
	measured      bool
	peak, seconds float64
	changed       []interface{}
}

func (w *worker) perform(id int64, request mapping, told *told) *failure {
	call, raised := w.prepared(request)
	if raised != nil {
		return raised
	}
	if seed, isSeed := request.get("seed").(int64); isSeed {
		rand.Seed(seed)
	}
	fields, hasFields := request.get("fields").([]interface{})
	resting := 0.0
	if told.measured = request.get("measured") != false; told.measured {
		resting = resetPeak()
	}
	begun := time.Now()
	raised = guarded(func() *failure {
		found, raised := call.perform()
		if raised != nil {
			return raised
		}
		kept := &answer{addressable(found), fields, call.form}
		if many, isMany := several(found); isMany {
			many.names = namesOf(call.form, fields)
		}
		if hasFields && !(len(fields) == 1 && fields[0] == "*" && !isRecord(kept.value)) && !isNothing(kept.value) {
			told.value = w.described(kept.value, fields, call.form, call.given, 0)
		} else {
			told.value = shaped(w.tree(kept.value, call.form, 0), call.form, call.given.get)
		}
		w.kept[id] = kept
		return nil
	})
	told.seconds = time.Since(begun).Seconds()
	if told.measured {
		told.peak = peak() - resting
	}
	for _, argument := range call.arguments {
		if argument.before != w.content(argument.value) {
			told.changed = append(told.changed, argument.place)
		}
	}
	return raised
}

// namesOf are the names of several results, by position.
func namesOf(f *form, fields []interface{}) []string {
	names := []string{}
	if f = f.whole(); f != nil {
		for _, part := range f.fields {
			names = append(names, part.name)
		}
		return names
	}
	for _, row := range fields {
		if name, isName := row.(string); isName {
			names = append(names, name)
		}
	}
	return names
}

func isNothing(v reflect.Value) bool { return !v.IsValid() || (isNil(v) && v.Kind() != reflect.Map) }

func isRecord(v reflect.Value) bool {
	for v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v.Kind() == reflect.Map || (v.Kind() == reflect.Struct && matrix(v) == nil)
}

// addressable lets methods of the pointer be called on what was returned as a value, as on a variable.
func addressable(v reflect.Value) reflect.Value {
	if v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Ptr || v.CanAddr() {
		return v
	}
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	return made
}
