// Package probe has a function for everything that a worker must be able to do.
package probe

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"syscall"
	"time"

	"example.org/dense"
)

type Kernel int

const (
	Gaussian Kernel = iota
	Flat
)

type Options struct {
	Level  float64
	Kernel Kernel
	Names  []string
	hidden int
}

type Grid struct {
	Rows, Cols int
	Data       []float64
}

func Real(x float64) float64                              { return x }
func Half(x float32) float32                              { return x / 2 }
func Whole(n int) int                                     { return n }
func Small(n int8) int8                                   { return n }
func Natural(n uint64) uint64                             { return n }
func Truth(b bool) bool                                   { return b }
func Text(s string) string                                { return s }
func Complex(z complex128) complex128                     { return z }
func Vector(x []float64) []float64                        { return x }
func Counts(x []int) []int                                { return x }
func Bytes(x []byte) []byte                               { return x }
func Truths(x []bool) []bool                              { return x }
func Names(x []string) []string                           { return x }
func Waves(x []complex128) []complex128                   { return x }
func Matrix(x [][]float64) [][]float64                    { return x }
func Cube(x [][][]float64) [][][]float64                  { return x }
func Pair(x [2]float64) [2]float64                        { return x }
func Maybe(x *float64) *float64                           { return x }
func Map(x map[string]float64) map[string]float64         { return x }
func ByNumber(x map[int]string) map[int]string            { return x }
func Columns(x map[string][]float64) map[string][]float64 { return x }
func Any(x interface{}) interface{}                       { return x }
func Kind(x interface{}) string                           { return fmt.Sprintf("%T", x) }
func Dense(x *dense.Dense) *dense.Dense                   { return x }
func Vec(x *dense.Vec) *dense.Vec                         { return x }
func OfGrid(x Grid) Grid                                  { return x }
func OfOptions(x Options) Options                         { return x }
func Opposite(k Kernel) Kernel                            { return 1 - k }
func Apply(f func(float64) float64, x float64) float64    { return f(x) }
func Square(x float64) float64                            { return x * x }
func Nothing()                                            {}
func Channel() chan int                                   { return make(chan int) }
func Function() func(float64) float64                     { return Square }
func Cells(rows, cols int) [][]float64                    { return make([][]float64, 0) }
func Ragged() [][]float64                                 { return [][]float64{{1}, {2, 3}} }
func Absent() ([]float64, []float64)                      { return nil, nil }

// Total has what Go has of a default.
func Total(x []float64, power ...float64) float64 {
	total := 0.0
	for _, value := range x {
		for range power {
			value *= value
		}
		total += value
	}
	return total
}

// Limits returns several results.
func Limits(x []float64) (low, high float64, err error) {
	if len(x) == 0 {
		return 0, 0, ErrEmpty
	}
	return x[0], x[len(x)-1], nil
}

// Spread returns a flat matrix, whose shape the interface declares.
func Spread(x []float64, times int) *Part {
	found := &Part{K: times, Text: "part"}
	for _, value := range x {
		for place := 0; place < times; place++ {
			found.Flat = append(found.Flat, value*float64(place))
		}
	}
	found.Inner.Deep = found.Flat[:1]
	return found
}

type Part struct {
	Flat   []float64
	K      int
	Text   string
	Inner  struct{ Deep []float64 }
	Absent *float64
	Rows   []Row
	hidden int
}

type Row struct {
	Name  string
	Value float64
}

// Table is a slice of records.
func Table() []Row { return []Row{{"a", 1}, {"b", 2.5}} }

// --- answers that are asked

// Counter is a value; its methods are those of the pointer.
type Counter struct {
	N     int
	Scale func(float64) float64
}

func NewCounter(n int) Counter { return Counter{N: n, Scale: Square} }

func (c *Counter) Add(n int) int { c.N += n; return c.N }

func (c Counter) String() string { return fmt.Sprintf("counted %d", c.N) }

func Read(c Counter) int { return c.N }

func Raise(c *Counter) { c.N++ }

// --- errors

var (
	ErrInput = errors.New("the input is bad")
	ErrEmpty = fmt.Errorf("%w: it is empty", ErrInput)
)

type LengthError struct{ Got int }

func (e *LengthError) Error() string { return fmt.Sprintf("the length is %d", e.Got) }

type SignError float64

func (e SignError) Error() string { return fmt.Sprintf("%g is negative", float64(e)) }

func Fail(how string) error {
	switch how {
	case "sentinel":
		return ErrEmpty
	case "wrapped":
		return fmt.Errorf("probe: %w", ErrEmpty)
	case "pointer":
		return fmt.Errorf("probe: %w", &LengthError{3})
	case "value":
		return SignError(-1)
	case "other":
		return errors.New("something else")
	case "panic":
		panic("it cannot go on")
	case "index":
		return fmt.Errorf("%d", []int{}[len(how)])
	}
	return nil
}

// --- what is seen beside an answer

func Say(text string) {
	fmt.Print(text)
	fmt.Fprint(os.Stderr, "!")
	syscall.Write(1, []byte("raw"))
}

func Overwrite(x []float64, y []float64) float64 { x[0] = -1; return y[0] }

func Draws(rng *rand.Rand, n int) []float64 {
	found := make([]float64, n)
	for place := range found {
		found[place] = rng.NormFloat64()
	}
	return found
}

func FromSource(source rand.Source) int64 { return source.Int63() }

func Global() float64 { return rand.Float64() }

func Use(megabytes int) int {
	data := make([]byte, megabytes<<20)
	for place := range data {
		data[place] = 1
	}
	return int(data[len(data)-1])
}

// Number is a constraint, and no type of any value.
type Number interface{ ~int | ~float64 }

// Box and First have type parameters, so they cannot be asked.
type Box[T Number] struct{ Value T }

func First[T Number](x []T) T { return x[0] }

// --- what no package should do

func Exit() { os.Exit(3) }

func Crash() {
	go func() { panic("in a goroutine") }()
	time.Sleep(time.Second)
}

func Recurse(n int) int { return Recurse(n+1) + 1 }

func Sleep() { time.Sleep(time.Hour) }

func Hoard() {
	for held := [][]byte{}; ; runtime.KeepAlive(held) {
		part := make([]byte, 16<<20)
		for place := range part {
			part[place] = 1
		}
		held = append(held, part)
	}
}

// Forge writes into whatever is open.
func Forge(data []byte) {
	for number := 3; number < 20; number++ {
		syscall.Write(number, data)
	}
}

// Litter writes files and says where it could.
func Litter() []string {
	written := []string{}
	for _, folder := range []string{"/", "/usr", "/verify", "/verify/adapter", "/verify/inside", "/tmp"} {
		if os.WriteFile(folder+"/litter", []byte("x"), 0o644) == nil {
			written = append(written, folder)
		}
	}
	return written
}
