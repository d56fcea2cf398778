package kernreg

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

func column(x ...float64) [][]float64 {
	found := make([][]float64, len(x))
	for i := range x {
		found[i] = []float64{x[i]}
	}
	return found
}

func TestConstantResponsesStayConstant(t *testing.T) {
	for _, degree := range []Degree{Constant, Linear} {
		fit, err := Smooth(column(0, 1, 2, 4), []float64{3, 3, 3, 3}, 1, degree)
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range fit.Fitted {
			if math.Abs(value-3) > 1e-12 || math.Abs(fit.LeaveOneOut[i]) > 1e-12 {
				t.Errorf("degree %d, observation %d: %v", degree, i, value)
			}
		}
	}
}

func TestLineIsReproduced(t *testing.T) {
	fit, err := Smooth(column(0, 1, 2, 4, 5), []float64{1, 3, 5, 9, 11}, 1.5, Linear)
	if err != nil {
		t.Fatal(err)
	}
	found, err := fit.Predict(column(0.5, 3))
	if err != nil || math.Abs(found[0]-2) > 1e-10 || math.Abs(found[1]-7) > 1e-10 {
		t.Errorf("%v %v", found, err)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	var length *LengthError
	if _, err := Smooth(column(1, 2), []float64{1}, 1, Constant); !errors.As(err, &length) {
		t.Errorf("lengths: %v", err)
	}
	if _, err := Smooth(column(1), []float64{1}, 0, Constant); !errors.Is(err, ErrBandwidth) {
		t.Errorf("bandwidth: %v", err)
	}
	if _, err := MovingMean(nil, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
}

func ExampleMovingMean() {
	found, _ := MovingMean([]float64{1, 2, 6, 3}, 1)
	fmt.Println(found)
	// Output: [1.5 3 3.6666666666666665 4.5]
}
