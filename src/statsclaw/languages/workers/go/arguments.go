package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strconv"
)

// refusal is an argument that cannot be made.
type refusal string

func (r refusal) Error() string { return string(r) }

func unfit(value interface{}, t reflect.Type) error {
	return refusal(fmt.Sprintf("a %s was wanted, and %s was given", t, called(value)))
}

func called(value interface{}) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case bool:
		return "a truth value"
	case int64, float64:
		return fmt.Sprintf("the number %v", value)
	case complex128:
		return "a complex number"
	case string:
		return strconv.Quote(fmt.Sprintf("%.60s", value))
	case absent:
		return "a missing text"
	case *array:
		return fmt.Sprintf("an array of shape %v", value.shape)
	case []interface{}:
		return fmt.Sprintf("a list of %d", len(value))
	case mapping:
		return "names and values"
	case extra:
		return "a value of the kind " + value.kind
	}
	return "something else"
}

// undressed is a value without what only other languages tell apart.
func undressed(value interface{}) interface{} {
	for {
		switch found := value.(type) {
		case *array:
			if len(found.shape) > 0 {
				return found
			}
			return found.at(0)
		case extra:
			switch found.kind {
			case "tuple", "set", "frozenset", "fortran", "readonly", "scalar", "logical", "formula":
				value = found.value
			case "named", "series", "table":
				key := map[string]string{"named": "value", "series": "values", "table": "columns"}[found.kind]
				parts, _ := found.value.(mapping)
				value = parts.get(key)
			case "factor":
				return levels(found.value)
			case "complex":
				parts := elements(undressed(found.value))
				if len(parts) != 2 {
					return found
				}
				re, _ := parts[0].(float64)
				im, _ := parts[1].(float64)
				return complex(re, im)
			case "bytes", "bytearray":
				text, _ := found.value.(string)
				raw, err := hex.DecodeString(text)
				if err != nil {
					return found
				}
				data := make([]int64, len(raw))
				for place, part := range raw {
					data[place] = int64(part)
				}
				return &array{'i', []int{len(data)}, data}
			default:
				return found
			}
		default:
			return value
		}
	}
}

func levels(value interface{}) interface{} {
	parts, _ := value.(mapping)
	names, codes := elements(undressed(parts.get("levels"))), elements(undressed(parts.get("codes")))
	found := make([]interface{}, len(codes))
	for place, part := range codes {
		code, err := whole(part)
		if found[place] = interface{}(absent{}); err == nil && code > 0 && int(code) <= len(names) {
			found[place] = names[code-1]
		}
	}
	return found
}

// elements are the parts along the first dimension; nil where there are none.
func elements(value interface{}) []interface{} {
	switch value := value.(type) {
	case []interface{}:
		return value
	case *array:
		count := value.shape[0]
		found := make([]interface{}, count)
		if len(value.shape) == 1 {
			for place := range found {
				found[place] = value.at(place)
			}
			return found
		}
		size := value.part(0, 0, value.shape[1:]).count()
		for place := range found {
			found[place] = value.part(place*size, (place+1)*size, value.shape[1:])
		}
		return found
	}
	return nil
}

// flattened are the single values, row by row.
func flattened(value interface{}) []interface{} {
	value = undressed(value)
	parts := elements(value)
	if parts == nil {
		return []interface{}{value}
	}
	found := make([]interface{}, 0, len(parts))
	for _, part := range parts {
		found = append(found, flattened(part)...)
	}
	return found
}

// whole is a whole number, also one that is written as 2.0.
func whole(value interface{}) (int64, error) {
	switch value := value.(type) {
	case int64:
		return value, nil
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<63 {
			return int64(value), nil
		}
	}
	return 0, errors.New("not whole")
}

func isSingle(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}

// argument makes a value of a type.
func (w *worker) argument(given interface{}, t reflect.Type) (reflect.Value, error) {
	value := undressed(given)
	if found, isExtra := value.(extra); isExtra {
		return w.further(found, t)
	}
	if text, isText := value.(string); isText && t.Kind() != reflect.String {
		if found, known := named(text, t); known {
			return found, nil
		}
	}
	made := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Interface:
		found := w.natural(value)
		if !found.IsValid() || found.Type().AssignableTo(t) {
			if found.IsValid() {
				made.Set(found)
			}
			return made, nil
		}
	case reflect.Ptr:
		if value == nil {
			return made, nil
		}
		inner := reflect.New(t.Elem())
		if done, err := filled(inner, value); done {
			return inner, nil
		} else if err != nil {
			return made, unfit(value, t)
		}
		found, err := w.argument(value, t.Elem())
		if _, isMapping := value.(mapping); err != nil && !isMapping {
			return made, unfit(value, t)
		} else if err != nil {
			return made, err
		}
		inner.Elem().Set(found)
		return inner, nil
	case reflect.Bool:
		if found, isTruth := value.(bool); isTruth {
			made.SetBool(found)
			return made, nil
		}
	case reflect.String:
		if found, isText := value.(string); isText {
			made.SetString(found)
			return made, nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if found, err := whole(value); err == nil && !made.OverflowInt(found) {
			made.SetInt(found)
			return made, nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if found, err := whole(value); err == nil && found >= 0 && !made.OverflowUint(uint64(found)) {
			made.SetUint(uint64(found))
			return made, nil
		}
	case reflect.Float32, reflect.Float64:
		switch found := value.(type) {
		case float64:
			made.SetFloat(found)
			return made, nil
		case int64:
			made.SetFloat(float64(found))
			return made, nil
		}
	case reflect.Complex64, reflect.Complex128:
		switch found := value.(type) {
		case complex128:
			made.SetComplex(found)
			return made, nil
		case float64:
			made.SetComplex(complex(found, 0))
			return made, nil
		case int64:
			made.SetComplex(complex(float64(found), 0))
			return made, nil
		}
	case reflect.Slice, reflect.Array:
		return w.slice(value, t)
	case reflect.Map:
		return w.mapped(value, t)
	case reflect.Struct:
		return w.record(value, t)
	case reflect.Func:
		if value == nil {
			return made, nil
		}
	}
	return made, unfit(value, t)
}

// slice takes lists and arrays; a single value is a vector of one, as R writes it.
func (w *worker) slice(value interface{}, t reflect.Type) (reflect.Value, error) {
	if value == nil && t.Kind() == reflect.Slice {
		return reflect.Zero(t), nil
	}
	flat, isArray := value.(*array)
	data, isReal := []float64(nil), false
	if isArray {
		data, isReal = flat.data.([]float64)
	}
	if isReal && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Float64 {
		return reflect.ValueOf(append(make([]float64, 0, len(data)), data...)).Convert(t), nil
	}
	parts := elements(value)
	if sizes := sizesOf(value); parts == nil || (len(sizes) > 1 && isSingle(t.Elem())) {
		if _, isMapping := value.(mapping); isMapping || value == nil || !isEven(value) {
			return reflect.Zero(t), unfit(value, t)
		}
		parts = flattened(value)
	}
	made := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		made.Set(reflect.MakeSlice(t, len(parts), len(parts)))
	} else if made.Len() != len(parts) {
		return made, unfit(value, t)
	}
	for place, part := range parts {
		found, err := w.argument(part, t.Elem())
		if err != nil {
			return made, refusal(fmt.Sprintf("a %s was wanted, and in its element %d %v", t, place, err))
		}
		made.Index(place).Set(found)
	}
	return made, nil
}

// isEven says whether all rows are as long as the first.
func isEven(value interface{}) bool {
	sizes := fmt.Sprint(sizesOf(value))
	_, isArray := value.(*array)
	for _, part := range elements(value) {
		if isArray || fmt.Sprint(append([]int{len(elements(value))}, sizesOf(part)...)) == sizes {
			continue
		}
		return false
	}
	return true
}

// mapped takes names and values, also the columns of a table.
func (w *worker) mapped(value interface{}, t reflect.Type) (reflect.Value, error) {
	rows, isMapping := value.(mapping)
	if !isMapping && value != nil {
		return reflect.Zero(t), unfit(value, t)
	}
	if value == nil {
		return reflect.Zero(t), nil
	}
	made := reflect.MakeMap(t)
	for _, row := range rows {
		key, err := w.argument(row.name, t.Key())
		if err != nil {
			return made, err
		}
		part, err := w.argument(row.value, t.Elem())
		if err != nil {
			return made, refusal(fmt.Sprintf("in %s %v", row.name, err))
		}
		made.SetMapIndex(key, part)
	}
	return made, nil
}

// record takes names and values, or a matrix.
func (w *worker) record(value interface{}, t reflect.Type) (reflect.Value, error) {
	made := reflect.New(t)
	if done, err := filled(made, value); done || err != nil {
		return made.Elem(), err
	}
	rows, isMapping := value.(mapping)
	if !isMapping {
		return made.Elem(), unfit(value, t)
	}
	for _, row := range rows {
		field, known := t.FieldByName(row.name)
		if !known || field.PkgPath != "" {
			return made.Elem(), refusal(fmt.Sprintf("%s has no field %s", t, row.name))
		}
		part, err := w.argument(row.value, field.Type)
		if err != nil {
			return made.Elem(), refusal(fmt.Sprintf("in %s %v", row.name, err))
		}
		made.Elem().FieldByIndex(field.Index).Set(part)
	}
	return made.Elem(), nil
}

// filled gives a matrix its elements: one with ReuseAs and Set, or with the fields Rows, Cols and Data.
func filled(made reflect.Value, value interface{}) (bool, error) {
	sizes := sizesOf(value)
	if len(sizes) == 0 {
		return false, nil
	}
	type dense interface {
		ReuseAs(r, c int)
		Set(i, j int, v float64)
	}
	type vector interface {
		ReuseAsVec(n int)
		SetVec(i int, v float64)
	}
	kind := made.Type().Elem()
	of, isVector := made.Interface().(vector)
	matrix, isMatrix := made.Interface().(dense)
	hasParts := kind.Kind() == reflect.Struct && isMatrixOfParts(kind)
	if !isVector && !isMatrix && !hasParts {
		return false, nil
	}
	found := flattened(value)
	data := make([]float64, len(found))
	for place, part := range found {
		switch part := part.(type) {
		case float64:
			data[place] = part
		case int64:
			data[place] = float64(part)
		default:
			return false, unfit(value, kind)
		}
	}
	switch {
	case !isEven(value) || len(data) == 0 || (isVector && len(sizes) != 1) || (!isVector && len(sizes) != 2):
		return false, unfit(value, kind)
	case isVector:
		of.ReuseAsVec(len(data))
		for place, part := range data {
			of.SetVec(place, part)
		}
	case isMatrix:
		matrix.ReuseAs(sizes[0], sizes[1])
		for place, part := range data {
			matrix.Set(place/sizes[1], place%sizes[1], part)
		}
	default:
		made.Elem().FieldByName("Rows").SetInt(int64(sizes[0]))
		made.Elem().FieldByName("Cols").SetInt(int64(sizes[1]))
		made.Elem().FieldByName("Data").Set(reflect.ValueOf(data))
	}
	return true, nil
}

func isMatrixOfParts(t reflect.Type) bool {
	rows, hasRows := t.FieldByName("Rows")
	cols, hasCols := t.FieldByName("Cols")
	data, hasData := t.FieldByName("Data")
	return hasRows && hasCols && hasData && rows.Type.Kind() == reflect.Int && cols.Type.Kind() == reflect.Int &&
		data.Type == reflect.TypeOf([]float64(nil))
}

// natural is what a program would pass where any value may come.
func (w *worker) natural(value interface{}) reflect.Value {
	switch value := value.(type) {
	case nil, absent, extra:
		return reflect.Value{}
	case int64:
		return reflect.ValueOf(int(value))
	case *array, []interface{}:
		for _, t := range []reflect.Type{
			reflect.TypeOf([]float64(nil)), reflect.TypeOf([][]float64(nil)), reflect.TypeOf([]string(nil)),
			reflect.TypeOf([]bool(nil)), reflect.TypeOf([]interface{}(nil)),
		} {
			if len(sizesOf(value)) > 1 && isSingle(t.Elem()) {
				continue
			}
			if found, err := w.argument(value, t); err == nil {
				return found
			}
		}
		return reflect.Value{}
	case mapping:
		found, _ := w.argument(value, reflect.TypeOf(map[string]interface{}(nil)))
		return found
	}
	return reflect.ValueOf(value)
}

// named is what the package exports by that name: a function, a variable or a constant of the wanted type.
func named(name string, t reflect.Type) (reflect.Value, bool) {
	if found, known := functions[name]; known && found.value.Type().ConvertibleTo(t) && t.Kind() != reflect.Interface {
		return found.value.Convert(t), true
	}
	if found, known := values[name]; known && found.Type().AssignableTo(t) && !(t.Kind() == reflect.Interface && t.NumMethod() == 0) {
		return found, true
	}
	return reflect.Value{}, false
}

func (w *worker) further(value extra, t reflect.Type) (reflect.Value, error) {
	parts, _ := value.value.(mapping)
	switch value.kind {
	case "generator":
		seed, err := whole(undressed(parts.get("seed")))
		name, _ := parts.get("name").(string)
		if err == nil {
			if found := w.generator(seed, name, t); found.IsValid() {
				return found, nil
			}
		}
	case "answer":
		found, _, err := w.earlier(parts)
		if err != nil {
			return found, err
		}
		return w.passed(found, t)
	case "integer":
		text, _ := value.value.(string)
		if found, err := strconv.ParseUint(text, 0, 64); err == nil && t.Kind() == reflect.Uint64 {
			return reflect.ValueOf(found).Convert(t), nil
		}
	case "pairs":
		if t.Kind() == reflect.Map {
			return w.paired(value.value, t)
		}
	}
	return reflect.Value{}, unfit(value, t)
}

func (w *worker) paired(rows interface{}, t reflect.Type) (reflect.Value, error) {
	made := reflect.MakeMap(t)
	for _, row := range elements(undressed(rows)) {
		parts := elements(undressed(row))
		if len(parts) != 2 {
			return made, unfit(row, t)
		}
		key, err := w.argument(parts[0], t.Key())
		if err != nil {
			return made, err
		}
		part, err := w.argument(parts[1], t.Elem())
		if err != nil {
			return made, err
		}
		made.SetMapIndex(key, part)
	}
	return made, nil
}

// passed is an earlier answer as a user would pass it.
func (w *worker) passed(found reflect.Value, t reflect.Type) (reflect.Value, error) {
	if !found.IsValid() {
		return w.argument(nil, t)
	}
	if found.Kind() == reflect.Interface && !found.IsNil() {
		found = found.Elem()
	}
	switch {
	case found.Type().AssignableTo(t):
		return found, nil
	case found.CanAddr() && found.Addr().Type().AssignableTo(t):
		return found.Addr(), nil
	case found.Kind() == reflect.Ptr && !found.IsNil() && found.Elem().Type().AssignableTo(t):
		return found.Elem(), nil
	}
	value := undressed(w.tree(found, nil, 0))
	if _, isExtra := value.(extra); isExtra {
		return found, refusal(fmt.Sprintf("a %s was wanted, and an answer of the type %s was given", t, found.Type()))
	}
	return w.argument(value, t)
}

// generator makes a *rand.Rand or a rand.Source; one with a name goes on in later calls.
func (w *worker) generator(seed int64, name string, t reflect.Type) reflect.Value {
	key := fmt.Sprint(t, " ", name)
	if found, known := w.generators[key]; known && name != "" {
		return found
	}
	made := reflect.Value{}
	for _, maker := range generators {
		if found := maker(seed, t); found.IsValid() {
			made = found
			break
		}
	}
	if name != "" && made.IsValid() {
		w.generators[key] = made
	}
	return made
}

var generators = []func(int64, reflect.Type) reflect.Value{
	func(seed int64, t reflect.Type) reflect.Value {
		source := rand.NewSource(seed)
		if found := reflect.ValueOf(rand.New(source)); found.Type().AssignableTo(t) {
			return found
		}
		if t == reflect.TypeOf((*rand.Source)(nil)).Elem() || t == reflect.TypeOf((*rand.Source64)(nil)).Elem() {
			return reflect.ValueOf(source)
		}
		return reflect.Value{}
	},
}

func isGenerator(value reflect.Value) bool {
	if !value.IsValid() {
		return false
	}
	path := value.Type()
	for path.Kind() == reflect.Ptr {
		path = path.Elem()
	}
	return path.PkgPath() == "math/rand" || path.PkgPath() == "math/rand/v2"
}
