package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// call is what will be called with what. given: what was sent, by the names of the interface.
type call struct {
	perform   func() (reflect.Value, *failure)
	arguments []argument
	given     mapping
	form      *form
}

// argument is what is passed, and what it held before.
type argument struct {
	place  string
	value  reflect.Value
	before string
}

var anything = reflect.TypeOf((*interface{})(nil)).Elem()

func unusable(format string, parts ...interface{}) *failure {
	return failed("ArgumentError", fmt.Sprintf(format, parts...))
}

func (w *worker) prepared(request mapping) (*call, *failure) {
	name, _ := request.get("function").(string)
	byPlace := elements(undressed(request.get("arguments")))
	byName, _ := request.get("named").(mapping)
	switch request.get("what") {
	case "exports":
		return ready(exports), nil
	case "signature":
		return signature(name)
	case "text":
		if len(byPlace) != 1 {
			return nil, unusable("one argument was wanted")
		}
		found, err := w.argument(byPlace[0], anything)
		if err != nil {
			return nil, unusable("%v", err)
		}
		return ready(fmt.Sprint(found.Interface())), nil
	}
	if on := request.get("on"); on != nil {
		target, said, raised := w.method(name, on)
		if raised != nil {
			return nil, raised
		}
		return w.bound(target, said, methods[name], byPlace, byName)
	}
	said := declared[name]
	if found, known := functions[name]; known {
		return w.bound(found.value, said, found.names, byPlace, byName)
	}
	if found, known := values[name]; known && found.Kind() == reflect.Func && !found.IsNil() {
		return w.bound(found, said, nil, byPlace, byName)
	}
	if t, known := types[name]; known {
		return w.literal(t, said, byPlace, byName)
	}
	return nil, failed("undefined", "the package has no function "+name)
}

func ready(value interface{}) *call {
	return &call{perform: func() (reflect.Value, *failure) { return reflect.ValueOf(value), nil }}
}

// signature tells the names in the source; Go has no defaults, and what is variadic may be left out.
func signature(name string) (*call, *failure) {
	names, known := methods[name]
	if found, isFunction := functions[name]; isFunction {
		names, known = found.names, true
	}
	if t, isType := types[name]; isType && t.Kind() == reflect.Struct {
		names, known = held(reflect.Zero(t)), true
	}
	if !known {
		return nil, failed("undefined", "the package has no function "+name)
	}
	rows := make([]map[string]interface{}, len(names))
	for place, name := range names {
		rows[place] = map[string]interface{}{"name": name, "default": nil, "keyword_only": false}
	}
	return ready(rows), nil
}

// method is a method of an earlier answer, or a function that it holds.
func (w *worker) method(name string, on interface{}) (reflect.Value, callable, *failure) {
	handle, _ := on.(extra)
	owner, f, err := w.earlier(handle.value)
	if err != nil {
		return owner, callable{}, unusable("%v", err)
	}
	said := f.method(name)
	if owner.IsValid() {
		if found := owner.MethodByName(name); found.IsValid() {
			return found, said, nil
		}
		if owner.CanAddr() {
			if found := owner.Addr().MethodByName(name); found.IsValid() {
				return found, said, nil
			}
		}
		if found, known := w.field(owner, name); known && found.Kind() == reflect.Func && !found.IsNil() {
			return found, said, nil
		}
	}
	return owner, said, failed("undefined", "the answer has no method "+name)
}

// earlier is what an earlier call returned, or a part of it, and its form.
func (w *worker) earlier(handle interface{}) (reflect.Value, *form, error) {
	parts, _ := handle.(mapping)
	id, _ := parts.get("call").(int64)
	kept, known := w.kept[id]
	if !known {
		return reflect.Value{}, nil, errors.New("the answer of that call is not there")
	}
	found, f := kept.value, kept.form
	for _, step := range elements(undressed(parts.get("path"))) {
		name, isName := step.(string)
		place, isPlace := step.(int64)
		switch {
		case isName:
			part, known := w.field(found, name)
			if !known {
				return found, f, fmt.Errorf("the answer has no %s", name)
			}
			found, f = part, f.field(name)
		case isPlace && found.Kind() == reflect.Slice && place >= 0 && int(place) < found.Len():
			found, f = found.Index(int(place)), nil
		default:
			return found, f, fmt.Errorf("the answer has no %v", step)
		}
	}
	return found, f, nil
}

// bound puts arguments in order, by the names of the interface, and makes them.
func (w *worker) bound(
	target reflect.Value, said callable, own []string, byPlace []interface{}, byName mapping,
) (*call, *failure) {
	names := said.arguments
	if names == nil {
		names = own
	}
	slots, raised := inOrder(names, byPlace, byName)
	if raised != nil {
		return nil, raised
	}
	t := target.Type()
	fixed := t.NumIn()
	if t.IsVariadic() {
		fixed--
	} else if len(slots) > fixed {
		return nil, unusable("%d arguments were given, and %d are taken", len(slots), fixed)
	}
	made := &call{form: said.returns.whole()}
	in := []reflect.Value{}
	for place := 0; place < fixed || place < len(slots); place++ {
		name := strconv.Itoa(place)
		if place < len(names) {
			name = names[place]
		}
		if place >= len(slots) || !slots[place].there {
			return nil, unusable("argument %s is missing: Go has no defaults", name)
		}
		slot := slots[place]
		wanted, spread := t, []interface{}{slot.value}
		if place >= fixed {
			wanted = t.In(fixed).Elem()
			if parts := elements(undressed(slot.value)); parts != nil && isSingle(wanted) {
				spread = parts
			}
		} else {
			wanted = t.In(place)
		}
		made.given = append(made.given, entry{name, w.sent(slot.value)})
		for _, part := range spread {
			found, err := w.argument(part, wanted)
			if err != nil {
				return nil, unusable("argument %s: %v", name, err)
			}
			in = append(in, found)
			made.arguments = append(made.arguments, argument{slot.place, found, w.content(found)})
		}
	}
	made.perform = func() (reflect.Value, *failure) { return returned(t, target.Call(in)) }
	return made, nil
}

// slot is an argument at its place. place: as it was sent, a number or a name.
type slot struct {
	there bool
	place string
	value interface{}
}

func inOrder(names []string, byPlace []interface{}, byName mapping) ([]slot, *failure) {
	slots := make([]slot, len(byPlace))
	for place, value := range byPlace {
		slots[place] = slot{true, strconv.Itoa(place), value}
	}
	for _, row := range byName {
		at := -1
		for place, name := range names {
			if name == row.name {
				at = place
			}
		}
		if at < 0 {
			return nil, unusable("there is no argument %s", row.name)
		}
		for len(slots) <= at {
			slots = append(slots, slot{})
		}
		if slots[at].there {
			return nil, unusable("argument %s was given twice", row.name)
		}
		slots[at] = slot{true, row.name, row.value}
	}
	return slots, nil
}

// sent is an argument as it is looked at for dimensions.
func (w *worker) sent(value interface{}) interface{} {
	if found, isExtra := value.(extra); isExtra && found.kind == "answer" {
		if part, f, err := w.earlier(found.value); err == nil {
			return w.tree(part, f, 0)
		}
	}
	return undressed(value)
}

// literal is a composite literal of a type: each field of a record is an argument.
func (w *worker) literal(t reflect.Type, said callable, byPlace []interface{}, byName mapping) (*call, *failure) {
	names := said.arguments
	if names == nil && t.Kind() == reflect.Struct {
		names = held(reflect.Zero(t))
	}
	slots, raised := inOrder(names, byPlace, byName)
	if raised != nil {
		return nil, raised
	}
	var wanted interface{}
	if t.Kind() != reflect.Struct && len(slots) == 1 {
		wanted = slots[0].value
	} else {
		rows := mapping{}
		for place, slot := range slots {
			if slot.there && place < len(names) {
				rows = append(rows, entry{names[place], slot.value})
			} else if slot.there {
				return nil, unusable("%d arguments were given, and %d are taken", len(slots), len(names))
			}
		}
		wanted = rows
	}
	found, err := w.argument(wanted, t)
	if err != nil {
		return nil, unusable("%v", err)
	}
	class := classes[t.Name()]
	return &call{perform: func() (reflect.Value, *failure) { return found, nil }, form: &class}, nil
}

// returned is what is left of the results without the error, which comes last.
func returned(t reflect.Type, out []reflect.Value) (reflect.Value, *failure) {
	if last := len(out) - 1; last >= 0 && t.Out(last) == failing {
		if !out[last].IsNil() {
			return reflect.Value{}, asFailure(out[last].Interface().(error))
		}
		out = out[:last]
	}
	switch len(out) {
	case 0:
		return reflect.Value{}, nil
	case 1:
		return out[0], nil
	}
	return reflect.ValueOf(&results{values: out}), nil
}

// content is what an argument holds, to be compared later: of an earlier answer, its declared fields.
func (w *worker) content(v reflect.Value) (found string) {
	if isGenerator(v) {
		return ""
	}
	guarded(func() *failure {
		for _, kept := range w.kept {
			if kept.fields != nil && isSame(kept.value, v) {
				found = string(encoded(nil, w.described(v, kept.fields, nil, nil, 0)))
				return nil
			}
		}
		found = string(encoded(nil, w.tree(v, nil, 0)))
		return nil
	})
	return found
}

func isSame(kept, v reflect.Value) bool {
	if !kept.IsValid() || v.Kind() != reflect.Ptr || v.IsNil() {
		return false
	}
	if kept.Kind() == reflect.Ptr {
		return kept.Pointer() == v.Pointer() && kept.Type() == v.Type()
	}
	return kept.CanAddr() && kept.Addr().Pointer() == v.Pointer() && kept.Addr().Type() == v.Type()
}
