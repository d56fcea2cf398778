package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// questions are the data of the suite. answered: what was answered, by chain and call.
type questions struct {
	mapping
	worker   *worker
	answered map[interface{}]map[interface{}]mapping
}

func ask(data mapping, w *worker) *questions {
	tell(data.get("interface").(mapping))
	return &questions{data, w, map[interface{}]map[interface{}]mapping{}}
}

func (q *questions) block(name string) mapping { return q.get(name).(mapping) }

func (q *questions) call(id interface{}) mapping {
	for _, row := range elements(q.get("calls")) {
		if row.(mapping).get("id") == id {
			return row.(mapping)
		}
	}
	panic(nothing(fmt.Sprintf("there is no call %v", id)))
}

// answer is asked for together with its whole chain: calls that follow each other.
func (q *questions) answer(id interface{}) mapping {
	chain := q.call(id).get("chain")
	if q.answered[chain] == nil {
		q.answered[chain] = q.chain(chain)
	}
	return q.answered[chain][id]
}

func (q *questions) chain(number interface{}) map[interface{}]mapping {
	found := map[interface{}]mapping{}
	q.worker.forget()
	for _, part := range elements(q.get("calls")) {
		if row := part.(mapping); row.get("chain") == number {
			q.class(row)
			request := mapping{{"measured", false}}
			for _, name := range []string{"id", "what", "function", "seed", "fields"} {
				request = append(request, entry{name, row.get(name)})
			}
			for _, name := range []string{"arguments", "on"} {
				request = append(request, entry{name, q.made(row.get(name), earlierOrDrawn)})
			}
			named := q.made(mapping{{"dict", row.get("named")}}, earlierOrDrawn)
			found[row.get("id")] = q.worker.answer(append(request, entry{"named", named}))
		}
	}
	return found
}

// class is that of what a call returns. Only what the interface declares is ever called.
func (q *questions) class(row mapping) interface{} {
	table := q.block("functions")
	if what := row.get("what"); what != "call" && what != "signature" {
		return nil
	}
	if on, isMethod := row.get("on").(mapping); isMethod {
		cls, _ := q.class(q.call(on.get("answer"))).(string)
		table, _ = q.block("methods").get(cls).(mapping)
	}
	for _, known := range table {
		if known.name == row.get("function") {
			return known.value
		}
	}
	panic(nothing(fmt.Sprintf("the interface does not declare %v", row.get("function"))))
}

// earlierOrDrawn is an argument that is an earlier answer, or a generator of random numbers.
func earlierOrDrawn(node mapping) interface{} {
	if node.get("path") == nil && node[0].name == "answer" {
		node = append(node, entry{"path", []interface{}{}})
	}
	renamed := append(mapping{{map[string]string{"answer": "call", "generator": "seed"}[node[0].name], node[0].value}}, node[1:]...)
	return extra{node[0].name, renamed}
}

// --- from questions.json to values

func (q *questions) made(node interface{}, further func(mapping) interface{}) interface{} {
	if parts, isList := node.([]interface{}); isList {
		found := make([]interface{}, len(parts))
		for place, part := range parts {
			found[place] = q.made(part, further)
		}
		return found
	}
	row, isRow := node.(mapping)
	if !isRow {
		return node
	}
	kind, inner := row[0].name, row[0].value
	switch kind {
	case "answer", "generator", "do":
		return further(row)
	case "dict":
		found := mapping{}
		for _, part := range inner.(mapping) {
			found = append(found, entry{part.name, q.made(part.value, further)})
		}
		return found
	case "data":
		return q.made(q.block("data").get(inner.(string)), further)
	case "array":
		return arrayOf(row)
	case "masked":
		parts := elements(q.made(inner, further))
		return pairs(parts[0], parts[1], func(value, isMissing float64) float64 {
			if isMissing != 0 {
				return math.NaN()
			}
			return value
		}).asArray()
	}
	return extra{kind, q.made(inner, further)}
}

func (n *numbers) asArray() *array { return &array{'d', n.sizes, n.data} }

// arrayOf is an array with the type that it has in a run.
func arrayOf(row mapping) interface{} {
	kind, _ := row.get("dtype").(string)
	if kind == "str" || kind == "object" {
		return row.get("array")
	}
	found := realsOf(row.get("array"))
	if sizes, isGiven := row.get("shape").([]interface{}); isGiven {
		found.sizes = found.sizes[:0:0]
		for _, size := range sizes {
			found.sizes = append(found.sizes, int(size.(int64)))
		}
	}
	made := &array{shape: found.sizes}
	switch {
	case strings.HasPrefix(kind, "complex"):
		data := make([]complex128, len(found.data)/2)
		for place := range data {
			data[place] = complex(found.data[2*place], found.data[2*place+1])
		}
		made.letter, made.data = 'z', data
	case kind == "bool":
		data := make([]byte, len(found.data))
		for place := range data {
			data[place] = byte(found.data[place])
		}
		made.letter, made.data = 'l', data
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		data := make([]int64, 0, len(found.data))
		for _, part := range flattened(row.get("array")) {
			number, isWhole := part.(int64)
			if !isWhole {
				return row.get("array") // one of them is too large
			}
			data = append(data, number)
		}
		made.letter, made.data = 'i', data
	default:
		made.letter, made.data = 'd', found.data
	}
	return made
}

// --- from answers to values

// value is what an expectation is about: an answer, a part of one, or what is calculated from them.
func (q *questions) value(node interface{}) interface{} { return q.made(node, q.seen) }

func (q *questions) seen(node mapping) interface{} {
	if node[0].name == "do" {
		of := []interface{}{}
		for _, part := range elements(node.get("of")) {
			of = append(of, q.value(part))
		}
		settings, _ := node.get("with").(mapping)
		return q.calculated(node[0].value.(string), of, settings)
	}
	answer := q.answer(node[0].value)
	if error, isError := answer.get("error").(mapping); isError {
		refuse("%v raised %s", q.call(node[0].value).get("function"), saidOf(error))
	}
	found := answer.get("value")
	for _, step := range elements(node.get("path")) {
		found = partOf(found, step)
	}
	return found
}

func saidOf(condition mapping) string {
	return fmt.Sprintf("%v: %v", elements(condition.get("classes"))[0], condition.get("message"))
}

// namesAndValues are the parts of what has names; of anything else nothing.
func namesAndValues(value interface{}) (mapping, bool) {
	if found, isExtra := value.(extra); isExtra && found.kind == "object" {
		fields, isMapping := found.value.(mapping).get("fields").(mapping)
		return fields, isMapping
	}
	found, isMapping := undressed(value).(mapping)
	return found, isMapping
}

func partOf(value, step interface{}) interface{} {
	if rows, hasNames := namesAndValues(value); hasNames {
		for _, row := range rows {
			if row.name == step {
				return row.value
			}
		}
	}
	if number, isNumber := step.(int64); isNumber {
		if parts, isList := undressed(value).([]interface{}); isList {
			return parts[within(number, len(parts))]
		}
	}
	refuse("the answer has no %v", step)
	return nil
}

func element(value interface{}, places []interface{}) interface{} {
	if len(places) == 1 {
		if _, isName := places[0].(string); isName {
			return partOf(value, places[0])
		}
		if parts, isList := undressed(value).([]interface{}); isList {
			if number, isNumber := places[0].(int64); isNumber {
				return parts[within(number, len(parts))]
			}
			found := []interface{}{}
			for _, k := range chosen(places[0], len(parts)) {
				found = append(found, parts[k])
			}
			return found
		}
	}
	return realsOf(value).at(places)
}

func (q *questions) calculated(name string, of []interface{}, settings mapping) interface{} {
	axis := settings.get("axis")
	divisor := 1.0
	if given := settings.get("divisor"); given != nil {
		divisor = realsOf(given).data[0]
	}
	both := func(function func(a, b float64) float64) interface{} { return pairs(of[0], of[1], function) }
	isText := func(value interface{}) bool {
		_, is := undressed(value).(string)
		return is
	}
	switch name {
	case "part":
		return element(of[0], elements(settings.get("at")))
	case "length":
		return int64(lengthOfAll(of[0]))
	case "shape":
		found := vector(nil)
		for _, size := range realsOf(of[0]).sizes {
			found.data = append(found.data, float64(size))
		}
		return vector(found.data)
	case "names":
		rows, hasNames := namesAndValues(of[0])
		if !hasNames {
			return nil
		}
		found := []interface{}{}
		for _, row := range rows {
			found = append(found, row.name)
		}
		return found
	case "equal", "different":
		if isText(of[0]) || isText(of[1]) {
			return (undressed(of[0]) == undressed(of[1])) == (name == "equal")
		}
		return both(func(a, b float64) float64 { return truth((a == b) == (name == "equal")) })
	case "mean":
		return reduced(of[0], axis, mean)
	case "total":
		return reduced(of[0], axis, total)
	case "median":
		return reduced(of[0], axis, quantile(0.5))
	case "smallest":
		return reduced(of[0], axis, largest(-1))
	case "largest":
		return reduced(of[0], axis, largest(1))
	case "sd":
		return each(math.Sqrt)(reduced(of[0], axis, variance(divisor)))
	case "var":
		return reduced(of[0], axis, variance(divisor))
	case "quantile":
		wanted := realsOf(q.value(settings.get("probability")))
		parts := []*numbers{}
		for _, one := range wanted.data {
			parts = append(parts, reduced(of[0], axis, quantile(one)))
		}
		if len(wanted.sizes) == 0 {
			return parts[0]
		}
		return inRows(parts)
	case "cov", "cor":
		return covariance(of[0], name == "cor")
	case "sorted":
		found := append([]float64(nil), realsOf(of[0]).data...)
		sort.Float64s(found)
		return vector(found)
	case "transposed":
		return transposed(of[0])
	case "diag":
		return diagonal(of[0])
	case "abs":
		return each(math.Abs)(of[0])
	case "sqrt":
		return each(math.Sqrt)(of[0])
	case "exp":
		return each(math.Exp)(of[0])
	case "log":
		return each(math.Log)(of[0])
	case "plus":
		return both(func(a, b float64) float64 { return a + b })
	case "minus":
		return both(func(a, b float64) float64 { return a - b })
	case "times":
		return both(func(a, b float64) float64 { return a * b })
	case "over":
		return both(func(a, b float64) float64 { return a / b })
	case "power":
		return both(math.Pow)
	case "below":
		return both(func(a, b float64) float64 { return truth(a < b) })
	case "at most":
		return both(func(a, b float64) float64 { return truth(a <= b) })
	case "matmul":
		return matmul(of[0], of[1])
	case "solve":
		return solved(of[0], of[1])
	case "eigenvalues":
		return eigenvalues(of[0])
	}
	refuse("nothing is known of %s", name)
	return nil
}

func lengthOfAll(value interface{}) int {
	if rows, hasNames := namesAndValues(value); hasNames {
		return len(rows)
	}
	switch value := undressed(value).(type) {
	case []interface{}:
		return len(value)
	case string:
		return len([]rune(value))
	}
	if found := realsOf(value); len(found.sizes) > 0 {
		return found.sizes[0]
	}
	return 1
}
