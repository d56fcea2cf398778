package main

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// What the package has; look.go has written it into names.go.
var (
	functions map[string]function
	methods   map[string][]string // names of arguments by Type.Method
	types     map[string]reflect.Type
	values    map[string]reflect.Value // variables and typed constants
	exports   []string
)

type function struct {
	value reflect.Value
	names []string
}

// What the interface says; the worker has it from declared.go.
var (
	declared map[string]callable
	classes  map[string]form
)

type callable struct {
	arguments []string
	returns   form
}

type form struct {
	name, kind, class string
	optional          bool
	shape             []string
	fields            []form
	methods           map[string]callable
}

// tell takes what the interface says, as names and values.
func tell(interface_ mapping) {
	declared, classes = map[string]callable{}, map[string]form{}
	for _, row := range interface_.part("functions") {
		declared[row.name] = callableOf(row.value.(mapping))
	}
	for _, row := range interface_.part("classes") {
		classes[row.name] = formOf(row.value.(mapping))
	}
}

func (m mapping) part(name string) mapping {
	found, _ := m.get(name).(mapping)
	return found
}

func callableOf(row mapping) callable {
	found := callable{returns: formOf(row.part("returns"))}
	if names, isSaid := row.get("arguments").([]interface{}); isSaid {
		found.arguments = wordsOf(names)
	}
	return found
}

func formOf(row mapping) form {
	found := form{shape: wordsOf(elements(row.get("shape"))), methods: map[string]callable{}}
	found.name, _ = row.get("name").(string)
	found.kind, _ = row.get("kind").(string)
	found.class, _ = row.get("class").(string)
	found.optional, _ = row.get("optional").(bool)
	for _, part := range elements(row.get("fields")) {
		found.fields = append(found.fields, formOf(part.(mapping)))
	}
	for _, method := range row.part("methods") {
		found.methods[method.name] = callableOf(method.value.(mapping))
	}
	return found
}

func wordsOf(values []interface{}) []string {
	found := make([]string, len(values))
	for place, value := range values {
		found[place], _ = value.(string)
	}
	return found
}

// whole is the form of its class, where the class is described elsewhere.
func (f *form) whole() *form {
	if f != nil && len(f.fields) == 0 {
		if class, known := classes[f.class]; known {
			class.optional = f.optional
			return &class
		}
	}
	return f
}

func (f *form) field(name string) *form {
	if f = f.whole(); f != nil {
		for place := range f.fields {
			if f.fields[place].name == name {
				return f.fields[place].whole()
			}
		}
	}
	return nil
}

// method is what the interface says of a method of that form; else of any method of that name.
func (f *form) method(name string) callable {
	if f != nil {
		if found, known := f.methods[name]; known {
			return found
		}
		if found, known := classes[f.class].methods[name]; known {
			return found
		}
	}
	for path, found := range declared {
		if strings.HasSuffix(path, "."+name) {
			return found
		}
	}
	return callable{}
}

var dimension = regexp.MustCompile(`^(?:(rows|cols|length|distinct)\()?([A-Za-z][\w.]*|\d+)\)?(?: ?([+-]) ?(\d+))?$`)

// shaped gives a flat array its declared dimensions, where they fit.
func shaped(value interface{}, f *form, known func(string) interface{}) interface{} {
	flat, isArray := value.(*array)
	if f == nil || !isArray || len(flat.shape) != 1 || len(f.shape) < 2 {
		return value
	}
	shape, count := make([]int, len(f.shape)), 1
	for place, text := range f.shape {
		size, found := lengthOf(text, known)
		if !found {
			return value
		}
		shape[place] = size
		count *= size
	}
	if count != flat.shape[0] {
		return value
	}
	return flat.part(0, count, shape)
}

func lengthOf(text string, known func(string) interface{}) (int, bool) {
	match := dimension.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return 0, false
	}
	offset, _ := strconv.Atoi(match[3] + match[4])
	if size, err := strconv.Atoi(match[2]); err == nil {
		return size + offset, true
	}
	value := undressed(known(match[2]))
	sizes := sizesOf(value)
	switch match[1] {
	case "":
		number, err := whole(value)
		return int(number) + offset, err == nil
	case "length", "rows":
		if match[1] == "length" && len(sizes) == 0 {
			return 1 + offset, true
		}
		if len(sizes) > 0 {
			return sizes[0] + offset, true
		}
	case "cols":
		if len(sizes) > 1 {
			return sizes[1] + offset, true
		}
	case "distinct":
		different := map[interface{}]bool{}
		for _, part := range flattened(value) {
			if part == part { // NaN is none
				different[part] = true
			}
		}
		return len(different) + offset, true
	}
	return 0, false
}

// sizesOf is the shape of an array, also of one that is written as lists.
func sizesOf(value interface{}) []int {
	switch value := undressed(value).(type) {
	case *array:
		return value.shape
	case []interface{}:
		sizes := []int{len(value)}
		if len(value) > 0 {
			sizes = append(sizes, sizesOf(value[0])...)
		}
		return sizes
	}
	return nil
}
