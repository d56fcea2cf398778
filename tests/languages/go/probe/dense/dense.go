// Package dense has a matrix and a vector with the methods of gonum's.
package dense

type Dense struct {
	cols int
	data []float64
}

func (d *Dense) ReuseAs(r, c int)            { d.cols, d.data = c, make([]float64, r*c) }
func (d *Dense) Dims() (r, c int)            { return len(d.data) / d.cols, d.cols }
func (d *Dense) At(i, j int) float64         { return d.data[i*d.cols+j] }
func (d *Dense) Set(i, j int, value float64) { d.data[i*d.cols+j] = value }

type Vec struct{ data []float64 }

func (v *Vec) ReuseAsVec(n int)            { v.data = make([]float64, n) }
func (v *Vec) Len() int                    { return len(v.data) }
func (v *Vec) Dims() (r, c int)            { return len(v.data), 1 }
func (v *Vec) At(i, j int) float64         { return v.data[i] }
func (v *Vec) AtVec(i int) float64         { return v.data[i] }
func (v *Vec) SetVec(i int, value float64) { v.data[i] = value }
