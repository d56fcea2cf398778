package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
)

// failure is an error as it is sent, the most specific class first.
type failure struct {
	classes []string
	message string
}

func failed(class, message string) *failure { return &failure{[]string{class}, message} }

func (f *failure) sent() mapping {
	return mapping{{"classes", texts(f.classes)}, {"message", shortened(f.message)}}
}

// guarded turns a panic into an error of the class panic.
func guarded(act func() *failure) (raised *failure) {
	defer func() {
		if reason := recover(); reason != nil {
			raised = failed("panic", fmt.Sprint(reason))
		}
	}()
	return act()
}

// asFailure names an error as users test for it: the package's own by errors.Is and errors.As, then the types.
func asFailure(err error) *failure {
	depths, names := map[string]int{}, []string{}
	for depth, inner := 0, err; inner != nil && depth < deepest; depth, inner = depth+1, errors.Unwrap(inner) {
		for name := range values {
			if sentinel, isError := values[name].Interface().(error); isError && errors.Is(inner, sentinel) {
				depths[name] = 2 * depth
			}
		}
		for name, t := range types {
			if isOf(inner, t) || isOf(inner, reflect.PtrTo(t)) {
				depths[name] = 2*depth + 1
			}
		}
	}
	for name := range depths {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		return depths[names[i]] < depths[names[j]] || (depths[names[i]] == depths[names[j]] && names[i] < names[j])
	})
	for inner := err; inner != nil && len(names) < 15; inner = errors.Unwrap(inner) {
		names = append(names, reflect.TypeOf(inner).String())
	}
	return &failure{append(names, "error"), err.Error()}
}

func isOf(err error, t reflect.Type) bool {
	return t.Implements(failing) && errors.As(err, reflect.New(t).Interface())
}
