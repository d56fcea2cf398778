package main

import (
	"fmt"
	"reflect"
	"strings"
)

// recordsDeep is how far records are followed where nobody has declared their fields.
const recordsDeep = 3

// results are several values that one call returned. names: those of the interface, by position.
type results struct {
	names  []string
	values []reflect.Value
}

var failing = reflect.TypeOf((*error)(nil)).Elem()

func opaque(v reflect.Value) interface{} {
	if v.Kind() == reflect.Func {
		return extra{"method", v.Type().String()}
	}
	return extra{"opaque", v.Type().String()}
}

// tree is a value as it is sent. f: what the interface says of it, or nil.
func (w *worker) tree(v reflect.Value, f *form, depth int) interface{} {
	if !v.IsValid() || depth > deepest {
		return nil
	}
	if v.Kind() == reflect.Interface {
		return w.tree(v.Elem(), f, depth)
	}
	if many, isMany := several(v); isMany {
		parts := make([]interface{}, len(many.values))
		named := make(mapping, len(many.values))
		for place, part := range many.values {
			name := ""
			if f != nil && place < len(f.fields) {
				name = f.fields[place].name
			}
			parts[place] = w.tree(part, f.field(name), depth+1)
			named[place] = entry{name, parts[place]}
		}
		if f != nil && len(f.fields) == len(parts) {
			return named
		}
		return extra{"tuple", parts}
	}
	if isNil(v) {
		if v.Kind() == reflect.Slice && (f == nil || !f.optional) {
			return w.listed(reflect.MakeSlice(v.Type(), 0, 0), f, depth)
		}
		return nil
	}
	if found := matrix(v); found != nil {
		return found
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.Uint() >= 1<<63 {
			return extra{"integer", fmt.Sprintf("%#x", v.Uint())}
		}
		return int64(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Complex64, reflect.Complex128:
		return extra{"complex", &array{'d', []int{2}, []float64{real(v.Complex()), imag(v.Complex())}}}
	case reflect.String:
		return strings.ToValidUTF8(v.String(), "\uFFFD")
	case reflect.Slice, reflect.Array:
		if f != nil && f.kind == "table" {
			return w.table(v, f, depth)
		}
		return w.listed(v, f, depth)
	case reflect.Map, reflect.Struct:
		if f != nil && f.kind == "table" {
			return w.table(v, f, depth)
		}
		if v.Kind() == reflect.Map {
			return w.pairs(v, f, depth)
		}
		if names := held(v); len(names) > 0 && depth < recordsDeep && !v.Type().Implements(failing) {
			return w.described(v, texts(names), f, nil, depth)
		}
	case reflect.Ptr:
		if v.Elem().Kind() == reflect.Ptr || depth >= recordsDeep || v.Type().Implements(failing) {
			return opaque(v)
		}
		return w.tree(v.Elem(), f, depth+1)
	}
	return opaque(v)
}

func several(v reflect.Value) (*results, bool) {
	if !v.IsValid() || !v.CanInterface() {
		return nil, false
	}
	many, isMany := v.Interface().(*results)
	return many, isMany
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Ptr, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface:
		return v.IsNil()
	}
	return false
}

// matrix reads what has Dims and At, Len and AtVec, or the fields Rows, Cols and Data; nil where it has none of them.
func matrix(v reflect.Value) interface{} {
	if !v.CanInterface() {
		return nil
	}
	subject := v.Interface()
	if v.Kind() != reflect.Ptr && v.CanAddr() {
		subject = v.Addr().Interface()
	}
	switch found := subject.(type) {
	case interface {
		Len() int
		AtVec(i int) float64
	}:
		data := make([]float64, found.Len())
		for place := range data {
			data[place] = found.AtVec(place)
		}
		return &array{'d', []int{len(data)}, data}
	case interface {
		Dims() (r, c int)
		At(i, j int) float64
	}:
		rows, cols := found.Dims()
		data := make([]float64, 0, rows*cols)
		for i := 0; i < rows; i++ {
			for j := 0; j < cols; j++ {
				data = append(data, found.At(i, j))
			}
		}
		return &array{'d', []int{rows, cols}, data}
	}
	if v.Kind() == reflect.Struct && isMatrixOfParts(v.Type()) {
		rows, cols := v.FieldByName("Rows").Int(), v.FieldByName("Cols").Int()
		data := v.FieldByName("Data").Interface().([]float64)
		if rows >= 0 && cols >= 0 && rows*cols == int64(len(data)) {
			return &array{'d', []int{int(rows), int(cols)}, append([]float64(nil), data...)}
		}
	}
	return nil
}

// listed is a slice: an array where it holds numbers or truth values, row by row, else a list.
func (w *worker) listed(v reflect.Value, f *form, depth int) interface{} {
	count, shape := v.Len(), []int{v.Len()}
	switch v.Type().Elem().Kind() {
	case reflect.Float64, reflect.Float32:
		data := make([]float64, count)
		for place := range data {
			data[place] = v.Index(place).Float()
		}
		return &array{'d', shape, data}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		data := make([]int64, count)
		for place := range data {
			data[place] = v.Index(place).Int()
		}
		return &array{'i', shape, data}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		data := make([]int64, count)
		for place := range data {
			data[place] = int64(v.Index(place).Uint())
		}
		return &array{'i', shape, data}
	case reflect.Bool:
		data := make([]byte, count)
		for place := range data {
			if v.Index(place).Bool() {
				data[place] = 1
			}
		}
		return &array{'l', shape, data}
	case reflect.Complex64, reflect.Complex128:
		data := make([]complex128, count)
		for place := range data {
			data[place] = v.Index(place).Complex()
		}
		return &array{'z', shape, data}
	}
	parts := make([]interface{}, count)
	for place := range parts {
		parts[place] = w.tree(v.Index(place), nil, depth+1)
	}
	kind := v.Type().Elem().Kind()
	if kind == reflect.Slice || kind == reflect.Array {
		if count == 0 {
			if empty, isArray := w.listed(reflect.MakeSlice(reflect.SliceOf(inner(v.Type())), 0, 0), nil, depth).(*array); isArray {
				empty.shape = make([]int, dimensions(v.Type()))
				return empty
			}
		}
		if found := stacked(parts); found != nil {
			return found
		}
	}
	return parts
}

func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

func dimensions(t reflect.Type) int {
	count := 0
	for ; t.Kind() == reflect.Slice || t.Kind() == reflect.Array; t = t.Elem() {
		count++
	}
	return count
}

// stacked is one array of arrays of the same shape; nil of anything else.
func stacked(parts []interface{}) interface{} {
	if len(parts) == 0 {
		return nil
	}
	first, isArray := parts[0].(*array)
	if !isArray {
		return nil
	}
	whole := &array{letter: first.letter, shape: append([]int{len(parts)}, first.shape...), data: first.empty()}
	for _, part := range parts {
		found, isArray := part.(*array)
		if !isArray || fmt.Sprint(found.shape) != fmt.Sprint(first.shape) {
			return nil
		}
		switch data := found.data.(type) {
		case []float64:
			whole.data = append(whole.data.([]float64), data...)
		case []int64:
			whole.data = append(whole.data.([]int64), data...)
		case []byte:
			whole.data = append(whole.data.([]byte), data...)
		case []complex128:
			whole.data = append(whole.data.([]complex128), data...)
		}
	}
	return whole
}

func (w *worker) pairs(v reflect.Value, f *form, depth int) interface{} {
	if v.Type().Key().Kind() != reflect.String {
		rows := make([]interface{}, 0, v.Len())
		keys := v.MapKeys()
		sortValues(keys)
		for _, key := range keys {
			part := w.tree(v.MapIndex(key), nil, depth+1)
			rows = append(rows, []interface{}{w.tree(key, nil, depth+1), part})
		}
		return extra{"pairs", rows}
	}
	names := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		names = append(names, key.String())
	}
	found := make(mapping, 0, len(names))
	for _, name := range sorted(names) {
		part := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
		found = append(found, entry{name, w.tree(part, f.field(name), depth+1)})
	}
	return found
}

// table is what the interface calls a table: a record or a map of columns, or a slice of records.
func (w *worker) table(v reflect.Value, f *form, depth int) interface{} {
	columns, names := mapping{}, make([]string, 0, len(f.fields))
	for _, part := range f.fields {
		names = append(names, part.name)
	}
	if len(names) == 0 {
		names = held(v)
	}
	for _, name := range names {
		if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
			parts := make([]interface{}, v.Len())
			for place := range parts {
				cell, known := w.field(v.Index(place), name)
				if !known {
					return w.listed(v, nil, depth)
				}
				parts[place] = w.tree(cell, nil, depth+1)
			}
			columns = append(columns, entry{name, column(parts)})
		} else if part, known := w.field(v, name); known {
			columns = append(columns, entry{name, w.tree(part, nil, depth+1)})
		}
	}
	return extra{"table", mapping{{"columns", columns}, {"index", nil}}}
}

// column is an array of numbers of one kind; else a list.
func column(parts []interface{}) interface{} {
	reals, whole := make([]float64, 0, len(parts)), make([]int64, 0, len(parts))
	for _, part := range parts {
		switch part := part.(type) {
		case float64:
			reals = append(reals, part)
		case int64:
			whole = append(whole, part)
		}
	}
	switch len(parts) {
	case len(reals):
		return &array{'d', []int{len(parts)}, reals}
	case len(whole):
		return &array{'i', []int{len(parts)}, whole}
	}
	return parts
}

// held are the names of what a value holds and shows.
func held(v reflect.Value) []string {
	for v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	names := []string{}
	switch v.Kind() {
	case reflect.Struct:
		for place := 0; place < v.NumField(); place++ {
			if field := v.Type().Field(place); field.PkgPath == "" {
				names = append(names, field.Name)
			}
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			for _, key := range v.MapKeys() {
				names = append(names, key.String())
			}
		}
		return sorted(names)
	case reflect.Slice:
		if v.Len() > 0 {
			return held(v.Index(0))
		}
	}
	return names
}

// field is a field of a record, a value of a map, or one of several results.
func (w *worker) field(v reflect.Value, name string) (reflect.Value, bool) {
	if many, isMany := several(v); isMany {
		for place, known := range many.names {
			if known == name && place < len(many.values) {
				return many.values[place], true
			}
		}
		return reflect.Value{}, false
	}
	for v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return reflect.Value{}, false
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		if found, known := v.Type().FieldByName(name); known && found.PkgPath == "" {
			part, err := v.FieldByIndexErr(found.Index)
			return part, err == nil
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			part := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
			return part, part.IsValid()
		}
	}
	return reflect.Value{}, false
}

// described is an object with its declared fields. given: arguments by name, for the dimensions of what is flat.
func (w *worker) described(v reflect.Value, fields []interface{}, f *form, given mapping, depth int) interface{} {
	found, missing, forms := mapping{}, []interface{}{}, []*form{}
	add := func(name string, inner []interface{}) {
		part, known := w.field(v, name)
		if !known {
			missing = append(missing, name)
			return
		}
		below := f.field(name)
		var value interface{}
		if inner != nil && !isNil(part) {
			value = w.described(part, inner, below, given, depth+1)
		} else {
			value = w.tree(part, below, depth+1)
		}
		found, forms = append(found, entry{name, value}), append(forms, below)
	}
	for _, row := range fields {
		switch row := row.(type) {
		case string:
			if row == "*" {
				for _, name := range held(v) {
					if found.get(name) == nil {
						add(name, nil)
					}
				}
			} else {
				add(row, nil)
			}
		case mapping:
			name, _ := row.get("name").(string)
			inner, _ := row.get("fields").([]interface{})
			add(name, inner)
		}
	}
	known := func(name string) interface{} {
		if value := given.get(name); value != nil {
			return value
		}
		return found.get(name)
	}
	for place := range found {
		found[place].value = shaped(found[place].value, forms[place], known)
	}
	return extra{"object", mapping{{"classes", []interface{}{typeName(v)}}, {"fields", found}, {"missing", missing}}}
}

func typeName(v reflect.Value) string {
	if _, isMany := several(v); isMany {
		return "results"
	}
	for v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Type().Name() != "" {
		return v.Type().Name()
	}
	return v.Type().String()
}
