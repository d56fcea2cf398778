package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"sort"
)

// Values as they are sent: nil, bool, int64, float64, string, absent, *array, []interface{}, mapping, extra.
type (
	absent  struct{} // a missing text
	mapping []entry
	entry   struct {
		name  string
		value interface{}
	}
	extra struct {
		kind  string
		value interface{}
	}
	// data: []float64 (d, f), []int64 (i, j), []byte (l), []complex128 (z) or []interface{} (s), row by row
	array struct {
		letter byte
		shape  []int
		data   interface{}
	}
	// garbled is what the reader panics with.
	garbled string
)

const (
	largestFrame = 1 << 31
	deepest      = 200
)

func (m mapping) get(name string) interface{} {
	for _, row := range m {
		if row.name == name {
			return row.value
		}
	}
	return nil
}

func (a *array) count() int {
	count := 1
	for _, size := range a.shape {
		count *= size
	}
	return count
}

// part returns the elements from one to another, in another shape.
func (a *array) part(from, to int, shape []int) *array {
	found := &array{letter: a.letter, shape: shape}
	switch data := a.data.(type) {
	case []float64:
		found.data = data[from:to]
	case []int64:
		found.data = data[from:to]
	case []byte:
		found.data = data[from:to]
	case []complex128:
		found.data = data[from:to]
	case []interface{}:
		found.data = data[from:to]
	}
	return found
}

// empty is no elements of the same kind.
func (a *array) empty() interface{} {
	return reflect.MakeSlice(reflect.TypeOf(a.data), 0, a.count()).Interface()
}

func (a *array) at(place int) interface{} {
	switch data := a.data.(type) {
	case []float64:
		return data[place]
	case []int64:
		return data[place]
	case []byte:
		if data[place] > 1 {
			return nil
		}
		return data[place] == 1
	case []complex128:
		return data[place]
	case []interface{}:
		return data[place]
	}
	return nil
}

// receive returns the next value; an error where the other side has closed or wrote what is no value.
func receive(stream io.Reader) (found interface{}, err error) {
	var head [8]byte
	if _, err = io.ReadFull(stream, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint64(head[:]))
	if size < 0 || size > largestFrame {
		return nil, io.ErrUnexpectedEOF
	}
	body := make([]byte, size)
	if _, err = io.ReadFull(stream, body); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	from := &reader{body}
	found = from.value(0)
	if len(from.left) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return found, nil
}

type reader struct{ left []byte }

func (r *reader) take(size int) []byte {
	if size < 0 || size > len(r.left) {
		panic(garbled("it ends too early"))
	}
	found := r.left[:size]
	r.left = r.left[size:]
	return found
}

func (r *reader) number() int   { return int(int32(binary.LittleEndian.Uint32(r.take(4)))) }
func (r *reader) long() int64   { return int64(binary.LittleEndian.Uint64(r.take(8))) }
func (r *reader) real() float64 { return math.Float64frombits(uint64(r.long())) }

// count is a number of parts, each of which takes at least so many bytes.
func (r *reader) count(least int) int {
	found := r.number()
	if found < 0 || found > len(r.left)/least {
		panic(garbled("it names more parts than there are bytes"))
	}
	return found
}

func (r *reader) text() interface{} {
	size := r.number()
	if size == -1 {
		return absent{}
	}
	return string(r.take(size))
}

func (r *reader) name() string { return r.text().(string) }

func (r *reader) value(depth int) interface{} {
	if depth > deepest {
		panic(garbled("it is nested too deeply"))
	}
	switch tag := r.take(1)[0]; tag {
	case 'n':
		return nil
	case 't', 'f':
		return tag == 't'
	case 'i':
		return r.long()
	case 'd':
		return r.real()
	case 's':
		return r.text()
	case 'v':
		count := r.count(8)
		return &array{'d', []int{count}, r.reals(count)}
	case 'a':
		return r.array()
	case 'l':
		found := make([]interface{}, r.count(1))
		for place := range found {
			found[place] = r.value(depth + 1)
		}
		return found
	case 'm':
		found := make(mapping, r.count(5))
		for place := range found {
			found[place].name = r.name()
			found[place].value = r.value(depth + 1)
		}
		return found
	case 'x':
		kind := r.name()
		return extra{kind, r.value(depth + 1)}
	}
	panic(garbled("an unknown tag"))
}

func (r *reader) reals(count int) []float64 {
	found, raw := make([]float64, count), r.take(8*count)
	for place := range found {
		found[place] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*place:]))
	}
	return found
}

func (r *reader) array() *array {
	found := &array{letter: r.take(1)[0]}
	least, known := map[byte]int{'d': 8, 'f': 4, 'i': 8, 'j': 4, 'l': 1, 'z': 16, 's': 4}[found.letter]
	dimensions := r.number()
	if !known || dimensions < 0 || dimensions > 32 {
		panic(garbled("an array of an unknown form"))
	}
	count := 1
	found.shape = make([]int, dimensions)
	for place := range found.shape {
		size := r.number()
		if size < 0 || (size > 0 && count > largestFrame/size) {
			panic(garbled("an array of an impossible size"))
		}
		found.shape[place] = size
		count *= size
	}
	if count > len(r.left)/least {
		panic(garbled("an array of more elements than there are bytes"))
	}
	switch found.letter {
	case 'd':
		found.data = r.reals(count)
	case 'f':
		data := make([]float64, count)
		for place := range data {
			data[place] = float64(math.Float32frombits(uint32(r.number())))
		}
		found.data = data
	case 'i', 'j':
		data := make([]int64, count)
		for place := range data {
			if found.letter == 'i' {
				data[place] = r.long()
			} else {
				data[place] = int64(r.number())
			}
		}
		found.data = data
	case 'l':
		found.data = append([]byte(nil), r.take(count)...)
	case 'z':
		data := make([]complex128, count)
		for place := range data {
			re := r.real()
			data[place] = complex(re, r.real())
		}
		found.data = data
	case 's':
		data := make([]interface{}, count)
		for place := range data {
			data[place] = r.text()
		}
		found.data = data
	}
	return found
}

// framed is a frame as it is written.
func framed(value interface{}) []byte {
	out := encoded(make([]byte, 8, 256), value)
	binary.LittleEndian.PutUint64(out, uint64(len(out)-8))
	return out
}

func putLong(out []byte, value uint64) []byte {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], value)
	return append(out, raw[:]...)
}

func putNumber(out []byte, value int) []byte {
	var raw [4]byte
	binary.LittleEndian.PutUint32(raw[:], uint32(value))
	return append(out, raw[:]...)
}

func putReal(out []byte, value float64) []byte { return putLong(out, math.Float64bits(value)) }

func putText(out []byte, text string) []byte { return append(putNumber(out, len(text)), text...) }

func encoded(out []byte, value interface{}) []byte {
	switch value := value.(type) {
	case nil:
		return append(out, 'n')
	case bool:
		if value {
			return append(out, 't')
		}
		return append(out, 'f')
	case int64:
		return putLong(append(out, 'i'), uint64(value))
	case float64:
		return putReal(append(out, 'd'), value)
	case string:
		return putText(append(out, 's'), value)
	case absent:
		return putNumber(append(out, 's'), -1)
	case []interface{}:
		out = putNumber(append(out, 'l'), len(value))
		for _, part := range value {
			out = encoded(out, part)
		}
		return out
	case mapping:
		out = putNumber(append(out, 'm'), len(value))
		for _, row := range value {
			out = encoded(putText(out, row.name), row.value)
		}
		return out
	case extra:
		return encoded(putText(append(out, 'x'), value.kind), value.value)
	case *array:
		return encodedArray(out, value)
	}
	panic(garbled("a value that cannot be sent"))
}

func encodedArray(out []byte, value *array) []byte {
	out = putNumber(append(out, 'a', value.letter), len(value.shape))
	for _, size := range value.shape {
		out = putNumber(out, size)
	}
	switch data := value.data.(type) {
	case []float64:
		for _, part := range data {
			if value.letter == 'f' {
				out = putNumber(out, int(math.Float32bits(float32(part))))
			} else {
				out = putReal(out, part)
			}
		}
	case []int64:
		for _, part := range data {
			if value.letter == 'j' {
				out = putNumber(out, int(part))
			} else {
				out = putLong(out, uint64(part))
			}
		}
	case []byte:
		out = append(out, data...)
	case []complex128:
		for _, part := range data {
			out = putReal(putReal(out, real(part)), imag(part))
		}
	}
	return out
}

func texts(names []string) []interface{} {
	found := make([]interface{}, len(names))
	for place, name := range names {
		found[place] = name
	}
	return found
}

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

func sortValues(keys []reflect.Value) {
	sort.Slice(keys, func(i, j int) bool {
		switch keys[i].Kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return keys[i].Int() < keys[j].Int()
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			return keys[i].Uint() < keys[j].Uint()
		case reflect.Float32, reflect.Float64:
			return keys[i].Float() < keys[j].Float()
		}
		return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j])
	})
}
