// The program asks the package the questions and compares the answers: program QUESTIONS RESULTS FIRST
//
// It is compiled with the package by the test beside this folder, which begins it again behind a case in which it ended.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// judged is a case with a criterion: before it is asked, and in a second line with what is wrong.
type judged struct {
	Name  string
	Skip  string
	Wrong string
	Done  bool
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	exitOn(err)
	out, err := os.OpenFile(os.Args[2], os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	exitOn(err)
	first, err := strconv.Atoi(os.Args[3])
	exitOn(err)
	os.Args = os.Args[:1]
	results := json.NewEncoder(out)
	q := ask(read(string(text)).(mapping), newWorker())
	for place, row := range q.cases() {
		if place < first {
			continue
		}
		found := judged{Name: row.name, Skip: row.leftOut}
		exitOn(results.Encode(found))
		if row.leftOut == "" {
			found.Wrong = q.wrong(row)
		}
		found.Done = true
		exitOn(results.Encode(found))
	}
}

// situation is a case with a criterion, and what is claimed there.
type situation struct {
	name, criterion, leftOut string
	claims                   []mapping
}

func (q *questions) cases() []*situation {
	found, known := []*situation{}, map[string]*situation{}
	for _, part := range elements(q.get("claims")) {
		claim := part.(mapping)
		leftOut, _ := claim.get("left_out").(string)
		key := fmt.Sprint(claim.get("scenario"), "\x00", claim.get("case"), "\x00", claim.get("criterion"), "\x00", leftOut)
		if known[key] == nil {
			name := fmt.Sprintf("%v-%v", claim.get("case"), claim.get("criterion"))
			known[key] = &situation{name, claim.get("criterion").(string), leftOut, nil}
			found = append(found, known[key])
		}
		known[key].claims = append(known[key].claims, claim)
	}
	return found
}

func (q *questions) wrong(row *situation) string {
	rule := q.block("criteria").get(row.criterion).(mapping)
	found := []string{}
	for _, claim := range row.claims {
		if problem := attempted(func() string { return q.problem(claim, rule) }); problem != "" {
			found = append(found, problem)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%v: %s", rule.get("quantity"), strings.Join(found, "; "))
}

// attempted turns a refusal to compare into its reason.
func attempted(act func() string) (problem string) {
	defer func() {
		if reason := recover(); reason != nil {
			problem = fmt.Sprint(reason)
		}
	}()
	return act()
}

// problem is what is wrong, in words; nothing where the claim is true.
func (q *questions) problem(claim, rule mapping) string {
	if call := claim.get("call"); call != nil {
		return q.aboutCall(call, claim, rule)
	}
	observed, expected := q.value(claim.get("observed")), q.value(claim.get("expected"))
	everywhere := func(found *numbers, otherwise string) string {
		for _, one := range found.data {
			if one == 0 {
				return fmt.Sprintf("%s: %s", otherwise, shown(observed))
			}
		}
		if len(found.data) == 0 {
			return "there is nothing to compare"
		}
		return ""
	}
	atMost := func(a, b float64) float64 { return truth(a <= b) }
	switch claim.get("rule") {
	case "close":
		return farOff(observed, expected, rule)
	case "value":
		low, high := limit(rule.get("low"), math.Inf(-1)), limit(rule.get("high"), math.Inf(1))
		isWithin := func(one float64) float64 { return truth(isFinite(one) && one >= low && one <= high) }
		return everywhere(each(isWithin)(observed).(*numbers), "out of bounds")
	case "between":
		bounds := realsOfBounds(expected)
		if problem := everywhere(pairs(bounds[0], observed, atMost), "not between"); problem != "" {
			return problem
		}
		return everywhere(pairs(observed, bounds[1], atMost), "not between")
	case "less":
		return everywhere(pairs(observed, expected, func(a, b float64) float64 { return truth(a < b) }), "not less")
	case "contains":
		text, isText := undressed(observed).(string)
		wanted, _ := undressed(expected).(string)
		held := isText && strings.Contains(text, wanted)
		for _, part := range listOf(observed) {
			held = held || identical(part, expected)
		}
		if !held {
			return fmt.Sprintf("%s does not contain %s", shown(observed), shown(expected))
		}
	case "finite":
		found := each(func(one float64) float64 { return truth(isFinite(one)) })(vector(allNumbers(observed)))
		return everywhere(found.(*numbers), "not finite")
	default:
		if !identical(observed, expected) {
			return fmt.Sprintf("%s is not %s", shown(observed), shown(expected))
		}
	}
	return ""
}

func (q *questions) aboutCall(call interface{}, claim, rule mapping) string {
	answer := q.answer(call)
	error, isRefused := answer.get("error").(mapping)
	came := []interface{}{}
	if isRefused {
		came = append(came, error)
	}
	switch {
	case claim.get("rule") == "raises":
		return asTold(claim, rule, came)
	case claim.get("rule") == "repeatable":
		again := q.chain(q.call(call).get("chain"))[call]
		if !identical(answer.get("value"), again.get("value")) || !identical(answer.get("error"), again.get("error")) {
			return "asked again, it answers something else"
		}
		return ""
	case isRefused:
		for _, part := range elements(claim.get("refusals")) {
			if row := elements(part); isCondition(error, row[0], row[1]) {
				return ""
			}
		}
		return "it raised " + saidOf(error)
	case claim.get("rule") == "warns":
		return asTold(claim, rule, elements(answer.get("warnings")))
	case claim.get("rule") == "untouched" && len(elements(answer.get("changed"))) > 0:
		return "an argument was changed"
	case claim.get("rule") == "silent" && strings.TrimSpace(answer.get("printed").(string)) != "":
		return "it said " + strings.TrimSpace(answer.get("printed").(string))
	}
	return ""
}

func asTold(claim, rule mapping, came []interface{}) string {
	error, message := claim.get("error"), claim.get("message")
	if error == nil && message == nil {
		message = rule.get("message")
	}
	if error == nil {
		error = rule.get("error")
	}
	said := "nothing"
	for _, part := range came {
		if isCondition(part.(mapping), error, message) {
			return ""
		}
		said = saidOf(part.(mapping))
	}
	wanted, _ := message.(string)
	return fmt.Sprintf("%s came where %v with %q is expected", said, error, wanted)
}

// isCondition: an error is each of its classes.
func isCondition(condition mapping, class, message interface{}) bool {
	name, _ := class.(string)
	words, _ := message.(string)
	isOfClass := name == ""
	for _, own := range elements(condition.get("classes")) {
		isOfClass = isOfClass || own == name
	}
	said, _ := condition.get("message").(string)
	return isOfClass && strings.Contains(said, words)
}

// --- comparing

func isFinite(value float64) bool { return !math.IsNaN(value) && !math.IsInf(value, 0) }

func limit(given interface{}, usual float64) float64 {
	if given == nil {
		return usual
	}
	return realsOf(given).data[0]
}

func realsOfBounds(value interface{}) []interface{} {
	found := listOf(value)
	if len(found) != 2 {
		refuse("there are not two bounds")
	}
	return found
}

// listOf are the parts of a list, or of an array along its first dimension.
func listOf(value interface{}) []interface{} {
	switch value := undressed(value).(type) {
	case []interface{}:
		return value
	case *array:
		return elements(value)
	}
	return nil
}

func identical(left, right interface{}) bool {
	names, isNamed := namesAndValues(left)
	others, isAlsoNamed := namesAndValues(right)
	if isNamed && isAlsoNamed {
		if len(names) != len(others) {
			return false
		}
		for place, row := range names {
			if row.name != others[place].name || !identical(row.value, others[place].value) {
				return false
			}
		}
		return true
	}
	one, other := undressed(left), undressed(right)
	if isAtom(one) || isAtom(other) {
		return isAtom(one) && isAtom(other) && one == other
	}
	isSame := true
	problem := attempted(func() string {
		a, b := paired(one, other)
		for k := range a {
			isSame = isSame && (a[k] == b[k] || (math.IsNaN(a[k]) && math.IsNaN(b[k])))
		}
		return ""
	})
	if problem == "" {
		return isSame
	}
	kind, isExtra := one.(extra)
	otherKind, isAlsoExtra := other.(extra)
	if isExtra && isAlsoExtra {
		return kind.kind == otherKind.kind && identical(kind.value, otherKind.value)
	}
	parts, otherParts := listOf(one), listOf(other)
	if parts == nil || otherParts == nil || len(parts) != len(otherParts) {
		return false
	}
	for place, part := range parts {
		if !identical(part, otherParts[place]) {
			return false
		}
	}
	return true
}

func isAtom(value interface{}) bool {
	switch value.(type) {
	case nil, string, absent:
		return true
	}
	return false
}

// paired are all numbers of both sides, in one order; lists may hold parts of different shapes.
func paired(left, right interface{}) ([]float64, []float64) {
	var one, other *numbers
	problem := attempted(func() string {
		one, other = numbersOf(left), numbersOf(right)
		return ""
	})
	if problem != "" {
		parts, otherParts := listOf(left), listOf(right)
		if parts == nil || otherParts == nil || len(parts) != len(otherParts) {
			refuse("%s", problem)
		}
		a, b := []float64{}, []float64{}
		for place := range parts {
			c, d := paired(parts[place], otherParts[place])
			a, b = append(a, c...), append(b, d...)
		}
		return a, b
	}
	if fmt.Sprint(one.sizes) != fmt.Sprint(other.sizes) && !(len(one.data) == 1 && len(other.data) == 1) {
		refuse("its shape is %v, and %v is expected", one.sizes, other.sizes)
	}
	a, b := one.data, other.data
	if one.imaginary != nil || other.imaginary != nil {
		a, b = append(append([]float64{}, a...), one.imagined()...), append(append([]float64{}, b...), other.imagined()...)
	}
	return a, b
}

func (n *numbers) imagined() []float64 {
	if n.imaginary == nil {
		return make([]float64, len(n.data))
	}
	return n.imaginary
}

func farOff(observed, expected interface{}, rule mapping) string {
	left, right := paired(observed, expected)
	if len(left) == 0 {
		return "there is nothing to compare"
	}
	for place := range left {
		if !isNear(left[place], right[place], rule) {
			return fmt.Sprintf("%v where %v is expected", left[place], right[place])
		}
	}
	return ""
}

func isNear(one, other float64, rule mapping) bool {
	if one == other || (math.IsNaN(one) && math.IsNaN(other)) {
		return true
	}
	if !isFinite(one) || !isFinite(other) {
		return false
	}
	gap := math.Abs(one - other)
	if digits := rule.get("lre"); digits != nil {
		scale := math.Abs(other)
		if other == 0 {
			scale = 1
		}
		return math.Min(15, -math.Log10(gap/scale)) >= limit(digits, 15)
	}
	return gap-limit(rule.get("absolute"), 0)-limit(rule.get("relative"), 0)*math.Abs(other) <= 0
}

// allNumbers are of an object all the numbers in its fields, of a list those of its parts; of anything else itself.
func allNumbers(value interface{}) []float64 {
	found := []float64{}
	if rows, hasNames := namesAndValues(value); hasNames {
		for _, row := range rows {
			attempted(func() string {
				found = append(found, allNumbers(row.value)...)
				return ""
			})
		}
		return found
	}
	if parts, isList := undressed(value).([]interface{}); isList {
		for _, part := range parts {
			found = append(found, allNumbers(part)...)
		}
		return found
	}
	return realsOf(value).data
}

func shown(value interface{}) string {
	if rows, hasNames := namesAndValues(value); hasNames {
		parts := []string{}
		for _, row := range rows {
			parts = append(parts, row.name+": "+shown(row.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	switch value := undressed(value).(type) {
	case *numbers:
		return fmt.Sprint(value.data)
	case *array:
		return fmt.Sprint(value.data)
	case string:
		return strconv.Quote(value)
	default:
		return fmt.Sprint(value)
	}
}
