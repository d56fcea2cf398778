// Package kernreg is kernel regression: the estimator of Nadaraya and Watson, and the local linear one.
//
// Both are linear in the responses, with one hat matrix H: its rows are the weights of the fitted values. From it follow
// leave-one-out residuals and standard errors. The kernel is Gaussian, with the same bandwidth in every direction.
package kernreg

import (
	"errors"
	"fmt"
	"math"
)

// Kinds of weights.
const (
	Constant Degree = iota
	Linear
)

// Degree is that of the local polynomial: Constant is Nadaraya and Watson's estimator.
type Degree int

// Errors of bad input.
var (
	ErrEmpty     = errors.New("there are no observations")
	ErrBandwidth = errors.New("the bandwidth must be a positive number")
	ErrDegree    = errors.New("the degree must be Constant or Linear")
	ErrWindow    = errors.New("the window reaches less than 0 elements to each side")
	ErrFar       = errors.New("there is no observation near enough")
	ErrFew       = errors.New("there are too few observations for this bandwidth")
)

// LengthError says that two lengths that must be equal are not.
type LengthError struct {
	What      string
	Got, Want int
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%s has the length %d, not %d", e.What, e.Got, e.Want)
}

// Fit is a fitted regression.
type Fit struct {
	Bandwidth   float64
	Fitted      []float64
	LeaveOneOut []float64 // residuals, each observation left out in turn
	Sigma2      float64   // variance of the errors
	StdErr      []float64 // of the fitted values
	Hat         []float64 // H, row by row
	DF          float64   // trace of H
	x           [][]float64
	y           []float64
	degree      Degree
}

// Smooth fits y on the rows of X.
func Smooth(X [][]float64, y []float64, h float64, degree Degree) (*Fit, error) {
	if err := check(X, y, h, degree); err != nil {
		return nil, fmt.Errorf("kernreg: %w", err)
	}
	n := len(y)
	f := &Fit{Bandwidth: h, x: X, y: y, degree: degree}
	f.Fitted, f.LeaveOneOut, f.StdErr = make([]float64, n), make([]float64, n), make([]float64, n)
	f.Hat = make([]float64, n*n)
	squares, total := make([]float64, n), 0.0
	for i, at := range X {
		row, err := weights(X, at, h, degree)
		if err != nil {
			return nil, fmt.Errorf("kernreg: observation %d: %w", i, err)
		}
		for j, w := range row {
			f.Hat[i*n+j] = w
			f.Fitted[i] += w * y[j]
			squares[i] += w * w
		}
		f.DF += row[i]
		total += squares[i]
		if 1-row[i] < 1e-10 {
			return nil, fmt.Errorf("kernreg: observation %d: %w", i, ErrFew)
		}
		f.LeaveOneOut[i] = (y[i] - f.Fitted[i]) / (1 - row[i])
	}
	rss := 0.0
	for i := range y {
		rss += (y[i] - f.Fitted[i]) * (y[i] - f.Fitted[i])
	}
	f.Sigma2 = rss / (float64(n) - 2*f.DF + total)
	for i := range y {
		f.StdErr[i] = math.Sqrt(f.Sigma2 * squares[i])
	}
	return f, nil
}

// Predict gives the regression at the rows of At.
func (f *Fit) Predict(At [][]float64) ([]float64, error) {
	found := make([]float64, len(At))
	for i, at := range At {
		if len(at) != len(f.x[0]) {
			return nil, fmt.Errorf("kernreg: %w", &LengthError{"a row of At", len(at), len(f.x[0])})
		}
		row, err := weights(f.x, at, f.Bandwidth, f.degree)
		if err != nil {
			return nil, fmt.Errorf("kernreg: point %d: %w", i, err)
		}
		for j, w := range row {
			found[i] += w * f.y[j]
		}
	}
	return found, nil
}

// String is what a person sees.
func (f *Fit) String() string {
	return fmt.Sprintf("kernel regression of %d observations, bandwidth %g", len(f.y), f.Bandwidth)
}

// MovingMean is the mean of the elements within reach of each element; fewer at both ends.
func MovingMean(y []float64, reach int) ([]float64, error) {
	if len(y) == 0 {
		return nil, fmt.Errorf("kernreg: %w", ErrEmpty)
	}
	if reach < 0 {
		return nil, fmt.Errorf("kernreg: %w", ErrWindow)
	}
	found := make([]float64, len(y))
	for i := range y {
		from, to := i-reach, i+reach+1
		if from < 0 {
			from = 0
		}
		if to > len(y) {
			to = len(y)
		}
		for _, part := range y[from:to] {
			found[i] += part
		}
		found[i] /= float64(to - from)
	}
	return found, nil
}

func check(X [][]float64, y []float64, h float64, degree Degree) error {
	if len(y) == 0 {
		return ErrEmpty
	}
	if len(X) != len(y) {
		return &LengthError{"X", len(X), len(y)}
	}
	for _, row := range X {
		if len(row) != len(X[0]) || len(row) == 0 {
			return &LengthError{"a row of X", len(row), len(X[0])}
		}
	}
	if !(h > 0) || math.IsInf(h, 0) {
		return ErrBandwidth
	}
	if degree != Constant && degree != Linear {
		return ErrDegree
	}
	return nil
}

// weights are those of each response in the estimate at a point.
func weights(X [][]float64, at []float64, h float64, degree Degree) ([]float64, error) {
	row, total := make([]float64, len(X)), 0.0
	for j := range X {
		distance := 0.0
		for k := range at {
			u := (X[j][k] - at[k]) / h
			distance += u * u
		}
		row[j] = math.Exp(-distance / 2)
		total += row[j]
	}
	if total < math.SmallestNonzeroFloat64*1e10 {
		return nil, ErrFar
	}
	if degree == Constant {
		for j := range row {
			row[j] /= total
		}
		return row, nil
	}
	return localLinear(X, at, row)
}

// localLinear turns kernel weights k into the first row of (Z'KZ)^-1 Z'K, Z = [1, X - at].
func localLinear(X [][]float64, at, k []float64) ([]float64, error) {
	p := len(at) + 1
	z := func(j, a int) float64 {
		if a == 0 {
			return 1
		}
		return X[j][a-1] - at[a-1]
	}
	moments := make([][]float64, p)
	for a := range moments {
		moments[a] = make([]float64, p)
		for b := range moments[a] {
			for j := range X {
				moments[a][b] += k[j] * z(j, a) * z(j, b)
			}
		}
	}
	first := make([]float64, p)
	first[0] = 1
	c, err := solved(moments, first)
	if err != nil {
		return nil, err
	}
	row := make([]float64, len(X))
	for j := range X {
		for a := range c {
			row[j] += c[a] * z(j, a)
		}
		row[j] *= k[j]
	}
	return row, nil
}

// solved is the solution of a symmetric positive definite system, by Cholesky's factor.
func solved(m [][]float64, b []float64) ([]float64, error) {
	p := len(b)
	for i := 0; i < p; i++ {
		for j := 0; j <= i; j++ {
			s := m[i][j]
			for k := 0; k < j; k++ {
				s -= m[i][k] * m[j][k]
			}
			if i == j {
				if !(s > 1e-12*m[i][i]) {
					return nil, ErrFew
				}
				m[i][i] = math.Sqrt(s)
			} else {
				m[i][j] = s / m[j][j]
			}
		}
	}
	x := append([]float64(nil), b...)
	for i := 0; i < p; i++ {
		for k := 0; k < i; k++ {
			x[i] -= m[i][k] * x[k]
		}
		x[i] /= m[i][i]
	}
	for i := p - 1; i >= 0; i-- {
		for k := i + 1; k < p; k++ {
			x[i] -= m[k][i] * x[k]
		}
		x[i] /= m[i][i]
	}
	return x, nil
}
