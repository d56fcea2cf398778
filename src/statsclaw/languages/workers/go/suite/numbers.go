package main

import (
	"fmt"
	"math"
	"math/big"
	"sort"
)

// nothing is why there is nothing to compare.
type nothing string

func refuse(format string, parts ...interface{}) { panic(nothing(fmt.Sprintf(format, parts...))) }

// numbers stand row by row, with their dimensions. imaginary: nil where all are real.
type numbers struct {
	sizes           []int
	data, imaginary []float64
}

func single(value float64) *numbers { return &numbers{data: []float64{value}} }

func vector(data []float64) *numbers { return &numbers{sizes: []int{len(data)}, data: data} }

func product(sizes []int) int {
	found := 1
	for _, size := range sizes {
		found *= size
	}
	return found
}

func truth(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

func numbersOf(value interface{}) *numbers {
	switch value := undressed(value).(type) {
	case *numbers:
		return value
	case bool:
		return single(truth(value))
	case int64:
		return single(float64(value))
	case float64:
		return single(value)
	case complex128:
		return &numbers{nil, []float64{real(value)}, []float64{imag(value)}}
	case *array:
		return ofArray(value)
	case []interface{}:
		parts := make([]*numbers, len(value))
		for place, part := range value {
			parts[place] = numbersOf(part)
		}
		return inRows(parts)
	case extra:
		if value.kind == "integer" {
			text, _ := value.value.(string)
			if found, isNumber := new(big.Float).SetString(text); isNumber {
				number, _ := found.Float64()
				return single(number)
			}
		}
		refuse("a value of the kind %s where numbers are expected", value.kind)
	default:
		refuse("%s where numbers are expected", called(value))
	}
	return nil
}

func ofArray(value *array) *numbers {
	found := &numbers{sizes: value.shape}
	switch data := value.data.(type) {
	case []float64:
		found.data = data
	case []int64:
		for _, part := range data {
			found.data = append(found.data, float64(part))
		}
	case []byte:
		for _, part := range data {
			found.data = append(found.data, [3]float64{0, 1, math.NaN()}[part])
		}
	case []complex128:
		for _, part := range data {
			found.data, found.imaginary = append(found.data, real(part)), append(found.imaginary, imag(part))
		}
	default:
		refuse("text where numbers are expected")
	}
	return found
}

func inRows(parts []*numbers) *numbers {
	found := &numbers{sizes: []int{len(parts)}}
	isComplex := false
	for _, part := range parts {
		if fmt.Sprint(part.sizes) != fmt.Sprint(parts[0].sizes) {
			refuse("a ragged list where numbers are expected")
		}
		found.data = append(found.data, part.data...)
		isComplex = isComplex || part.imaginary != nil
	}
	if len(parts) > 0 {
		found.sizes = append(found.sizes, parts[0].sizes...)
	}
	for _, part := range parts {
		if isComplex && part.imaginary == nil {
			part.imaginary = make([]float64, len(part.data))
		}
		found.imaginary = append(found.imaginary, part.imaginary...)
	}
	return found
}

func realsOf(value interface{}) *numbers {
	found := numbersOf(value)
	if found.imaginary != nil {
		refuse("complex numbers can only be compared")
	}
	return found
}

func (n *numbers) row(place int) *numbers {
	width := product(n.sizes[1:])
	return &numbers{sizes: n.sizes[1:], data: n.data[place*width : (place+1)*width]}
}

// rows is a matrix.
func (n *numbers) rows() [][]float64 {
	if len(n.sizes) != 2 {
		refuse("no matrix")
	}
	found := make([][]float64, n.sizes[0])
	for place := range found {
		found[place] = append([]float64(nil), n.row(place).data...)
	}
	return found
}

func ofRows(rows [][]float64) *numbers {
	parts := make([]*numbers, len(rows))
	for place, row := range rows {
		parts[place] = vector(row)
	}
	return inRows(parts)
}

func each(function func(float64) float64) func(interface{}) interface{} {
	return func(value interface{}) interface{} {
		of := realsOf(value)
		found := &numbers{sizes: of.sizes, data: make([]float64, len(of.data))}
		for place, one := range of.data {
			found.data[place] = function(one)
		}
		return found
	}
}

// pairs are as numpy makes them: dimensions of one are repeated.
func pairs(left, right interface{}, function func(a, b float64) float64) *numbers {
	one, other := realsOf(left), realsOf(right)
	depth := len(one.sizes)
	if len(other.sizes) > depth {
		depth = len(other.sizes)
	}
	full := func(of *numbers) []int {
		found := make([]int, depth)
		for place := range found {
			found[place] = 1
			if own := place - depth + len(of.sizes); own >= 0 {
				found[place] = of.sizes[own]
			}
		}
		return found
	}
	first, second, sizes := full(one), full(other), make([]int, depth)
	for place := range sizes {
		if sizes[place] = first[place]; sizes[place] == 1 {
			sizes[place] = second[place]
		}
		if (first[place] != 1 && first[place] != sizes[place]) || (second[place] != 1 && second[place] != sizes[place]) {
			refuse("shapes that do not fit")
		}
	}
	found, at := &numbers{sizes: sizes, data: make([]float64, product(sizes))}, make([]int, depth)
	place := func(own []int) int {
		sum := 0
		for k, size := range own {
			if sum *= size; size > 1 {
				sum += at[k]
			}
		}
		return sum
	}
	for number := range found.data {
		for k, rest := depth-1, number; k >= 0; k-- {
			at[k], rest = rest%sizes[k], rest/sizes[k]
		}
		found.data[number] = function(one.data[place(first)], other.data[place(second)])
	}
	return found
}

// reduced is of all numbers, or along an axis.
func reduced(value, axis interface{}, function func([]float64) float64) *numbers {
	of := realsOf(value)
	if len(of.data) == 0 {
		refuse("there are no numbers to reduce")
	}
	at, isAxis := axis.(int64)
	if !isAxis {
		return single(function(of.data))
	}
	if at < 0 {
		at += int64(len(of.sizes))
	}
	if at < 0 || int(at) >= len(of.sizes) {
		refuse("there is no such axis")
	}
	inner, size := product(of.sizes[at+1:]), of.sizes[at]
	rest := append(append([]int{}, of.sizes[:at]...), of.sizes[at+1:]...)
	found := &numbers{sizes: rest, data: make([]float64, product(rest))}
	for k := range found.data {
		along := make([]float64, size)
		for m := range along {
			along[m] = of.data[k/inner*inner*size+k%inner+m*inner]
		}
		found.data[k] = function(along)
	}
	return found
}

func total(data []float64) float64 {
	sum := 0.0
	for _, one := range data {
		sum += one
	}
	return sum
}

func mean(data []float64) float64 { return total(data) / float64(len(data)) }

func variance(divisor float64) func([]float64) float64 {
	return func(data []float64) float64 {
		centre, sum := mean(data), 0.0
		for _, one := range data {
			sum += (one - centre) * (one - centre)
		}
		return sum / (float64(len(data)) - divisor)
	}
}

func quantile(probability float64) func([]float64) float64 {
	return func(data []float64) float64 {
		inOrder := append([]float64(nil), data...)
		sort.Float64s(inOrder)
		if math.IsNaN(inOrder[0]) { // they come first
			return math.NaN()
		}
		at := float64(len(inOrder)-1) * probability
		low := inOrder[int(math.Floor(at))]
		return low + (inOrder[int(math.Ceil(at))]-low)*(at-math.Floor(at))
	}
}

func largest(sign float64) func([]float64) float64 {
	return func(data []float64) float64 {
		found := data[0]
		for _, one := range data {
			if math.IsNaN(one) || sign*one > sign*found {
				found = one
			}
		}
		return found
	}
}

func transposed(value interface{}) *numbers {
	of := realsOf(value)
	if len(of.sizes) < 2 {
		return of
	}
	rows := of.rows()
	found := make([][]float64, of.sizes[1])
	for j := range found {
		for _, row := range rows {
			found[j] = append(found[j], row[j])
		}
	}
	return ofRows(found)
}

func matmul(left, right interface{}) *numbers {
	a, b := realsOf(left), realsOf(right)
	if len(a.sizes) == 0 || len(b.sizes) == 0 {
		refuse("shapes that do not fit")
	}
	rows, columns := [][]float64{a.data}, [][]float64{b.data}
	if len(a.sizes) > 1 {
		rows = a.rows()
	}
	if len(b.sizes) > 1 {
		columns = transposed(b).rows()
	}
	found := &numbers{sizes: append(append([]int{}, a.sizes[:len(a.sizes)-1]...), b.sizes[1:]...)}
	for _, row := range rows {
		for _, column := range columns {
			if len(row) != len(column) {
				refuse("shapes that do not fit")
			}
			sum := 0.0
			for k := range row {
				sum += row[k] * column[k]
			}
			found.data = append(found.data, sum)
		}
	}
	return found
}

func solved(left, right interface{}) *numbers {
	rows, wanted := realsOf(left).rows(), realsOf(right)
	isVector := len(wanted.sizes) == 1
	found := [][]float64{}
	if isVector {
		for _, one := range wanted.data {
			found = append(found, []float64{one})
		}
	} else {
		found = wanted.rows()
	}
	if len(found) != len(rows) || len(rows) == 0 || len(rows[0]) != len(rows) {
		refuse("shapes that do not fit")
	}
	for k := range rows {
		best := k
		for i := k; i < len(rows); i++ {
			if math.Abs(rows[i][k]) > math.Abs(rows[best][k]) {
				best = i
			}
		}
		rows[k], rows[best], found[k], found[best] = rows[best], rows[k], found[best], found[k]
		if rows[k][k] == 0 {
			refuse("the matrix is singular")
		}
		for i := range rows {
			if i == k {
				continue
			}
			times := rows[i][k] / rows[k][k]
			for j := range rows[i] {
				rows[i][j] -= times * rows[k][j]
			}
			for j := range found[i] {
				found[i][j] -= times * found[k][j]
			}
		}
	}
	for k, row := range found {
		for j := range row {
			row[j] /= rows[k][k]
		}
	}
	if isVector {
		return vector(ofRows(found).data)
	}
	return ofRows(found)
}

// eigenvalues are those of a symmetric matrix, by Jacobi's rotations; sorted.
func eigenvalues(value interface{}) *numbers {
	a := realsOf(value).rows()
	for sweep := 0; sweep < 60; sweep++ {
		for p := range a {
			for q := p + 1; q < len(a); q++ {
				if a[q][p] == 0 {
					continue
				}
				angle := 0.5 * math.Atan2(2*a[q][p], a[q][q]-a[p][p])
				s, c := math.Sincos(angle)
				for _, row := range a {
					row[p], row[q] = c*row[p]-s*row[q], s*row[p]+c*row[q]
				}
				for k := range a {
					a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
				}
			}
		}
	}
	found := make([]float64, len(a))
	for k := range a {
		found[k] = a[k][k]
	}
	sort.Float64s(found)
	return vector(found)
}

func covariance(value interface{}, isScaled bool) *numbers {
	columns := [][]float64{realsOf(value).data}
	if len(realsOf(value).sizes) > 1 {
		columns = transposed(value).rows()
	}
	found := make([][]float64, len(columns))
	for i := range columns {
		for j := range columns {
			sum, one, other := 0.0, mean(columns[i]), mean(columns[j])
			for k := range columns[i] {
				sum += (columns[i][k] - one) * (columns[j][k] - other)
			}
			found[i] = append(found[i], sum/float64(len(columns[i])-1))
		}
	}
	if isScaled {
		spread := make([]float64, len(found))
		for k := range found {
			spread[k] = math.Sqrt(found[k][k])
		}
		for i, row := range found {
			for j := range row {
				row[j] /= spread[i] * spread[j]
			}
		}
	}
	if len(columns) == 1 {
		return single(found[0][0])
	}
	return ofRows(found)
}

func diagonal(value interface{}) *numbers {
	of := realsOf(value)
	if len(of.sizes) == 1 {
		rows := make([][]float64, len(of.data))
		for k, one := range of.data {
			rows[k] = make([]float64, len(of.data))
			rows[k][k] = one
		}
		return ofRows(rows)
	}
	found := []float64{}
	for k, row := range of.rows() {
		if k < len(row) {
			found = append(found, row[k])
		}
	}
	return vector(found)
}

// at are elements: by a number, several of them, truth values, a range, or a new dimension.
func (n *numbers) at(places []interface{}) *numbers {
	if len(places) == 0 {
		return n
	}
	place, rest := places[0], places[1:]
	if place == nil {
		return inRows([]*numbers{n.at(rest)})
	}
	if len(n.sizes) == 0 {
		refuse("more places than dimensions")
	}
	if number, isOne := place.(int64); isOne {
		return n.row(within(number, n.sizes[0])).at(rest)
	}
	parts := []*numbers{}
	for _, k := range chosen(place, n.sizes[0]) {
		parts = append(parts, n.row(k).at(rest))
	}
	return inRows(parts)
}

func within(place int64, size int) int {
	if place < 0 {
		place += int64(size)
	}
	if place < 0 || place >= int64(size) {
		refuse("there is no place %d", place)
	}
	return int(place)
}

func chosen(place interface{}, size int) []int {
	found := []int{}
	switch place := place.(type) {
	case []interface{}:
		for k, one := range place {
			switch one := one.(type) {
			case bool:
				if one && k < size {
					found = append(found, k)
				}
			case int64:
				found = append(found, within(one, size))
			}
		}
	case mapping:
		ends := elements(place.get("slice"))
		by, isGiven := ends[2].(int64)
		if !isGiven {
			by = 1
		}
		lowest, highest := int64(0), int64(size)
		if by < 0 {
			lowest, highest = -1, int64(size)-1
		}
		limit := func(end interface{}, usual int64) int64 {
			at, isGiven := end.(int64)
			if !isGiven {
				return usual
			}
			if at < 0 {
				at += int64(size)
			}
			if at < lowest {
				return lowest
			}
			if at > highest {
				return highest
			}
			return at
		}
		from, to := limit(ends[0], lowest), limit(ends[1], highest)
		if by < 0 {
			from, to = limit(ends[0], highest), limit(ends[1], lowest)
		}
		for k := from; (by > 0 && k < to) || (by < 0 && k > to); k += by {
			found = append(found, int(k))
		}
	}
	return found
}
