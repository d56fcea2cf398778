// Writes what the asked package exports, as Go: look OUT IMPORTPATH FILE...
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"sort"
	"strings"
)

type found struct {
	functions, methods map[string][]string
	types              map[string]ast.Expr
	values             []string
	exports            map[string]bool
}

func main() {
	seen := &found{map[string][]string{}, map[string][]string{}, map[string]ast.Expr{}, nil, map[string]bool{}}
	files := token.NewFileSet()
	for _, name := range os.Args[3:] {
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		exitOn(err)
		for _, row := range file.Decls {
			seen.declaration(row)
		}
	}
	text, err := format.Source(seen.written(os.Args[2]))
	exitOn(err)
	exitOn(os.WriteFile(os.Args[1], text, 0o644))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (f *found) declaration(row ast.Decl) {
	switch row := row.(type) {
	case *ast.FuncDecl:
		names := argumentsOf(row.Type)
		if row.Recv == nil && row.Name.IsExported() {
			f.exports[row.Name.Name] = true
			if row.Type.TypeParams == nil { // what is generic is no value
				f.functions[row.Name.Name] = names
			}
		} else if row.Recv != nil && row.Name.IsExported() {
			f.methods[receiver(row.Recv.List[0].Type)+"."+row.Name.Name] = names
		}
	case *ast.GenDecl:
		var stated ast.Expr // of a constant, also where it goes on from the line above
		for _, spec := range row.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.TypeParams == nil {
					f.types[spec.Name.Name] = spec.Type
				}
				f.exports[spec.Name.Name] = spec.Name.IsExported()
			case *ast.ValueSpec:
				if spec.Type != nil || len(spec.Values) > 0 {
					stated = spec.Type
				}
				for _, name := range spec.Names {
					f.exports[name.Name] = name.IsExported()
					if name.IsExported() && row.Tok == token.VAR {
						f.values = append(f.values, name.Name+"\x00variable")
					} else if name.IsExported() && stated != nil { // an untyped constant may fit no type
						f.values = append(f.values, name.Name)
					}
				}
			}
		}
	}
}

func argumentsOf(t *ast.FuncType) []string {
	names := []string{}
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		if len(field.Names) == 0 {
			names = append(names, "_")
		}
	}
	return names
}

func receiver(t ast.Expr) string {
	for {
		switch inner := t.(type) {
		case *ast.StarExpr:
			t = inner.X
		case *ast.ParenExpr:
			t = inner.X
		case *ast.IndexExpr:
			t = inner.X
		case *ast.IndexListExpr:
			t = inner.X
		case *ast.Ident:
			return inner.Name
		default:
			return ""
		}
	}
}

// isConcrete says of a type whether values have it: an interface may be a constraint, which only the compiler knows.
func (f *found) isConcrete(t ast.Expr, depth int) bool {
	switch t := t.(type) {
	case *ast.StructType, *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.ChanType, *ast.StarExpr:
		return true
	case *ast.ParenExpr:
		return f.isConcrete(t.X, depth)
	case *ast.Ident:
		if inner, own := f.types[t.Name]; own {
			return depth < 100 && f.isConcrete(inner, depth+1)
		}
		return t.Name != "any" && t.Name != "comparable" && t.Name != "error"
	}
	return false
}

func (f *found) written(path string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "package main\n\nimport (\n\"reflect\"\n\nasked %q\n)\n\nvar _ = reflect.ValueOf\n\nfunc init() {\n", path)
	fmt.Fprintf(&out, "functions = map[string]function{\n")
	for _, name := range sorted(f.functions) {
		fmt.Fprintf(&out, "%q: {reflect.ValueOf(asked.%s), %#v},\n", name, name, f.functions[name])
	}
	fmt.Fprintf(&out, "}\nmethods = map[string][]string{\n")
	for _, name := range sorted(f.methods) {
		fmt.Fprintf(&out, "%q: %#v,\n", name, f.methods[name])
	}
	fmt.Fprintf(&out, "}\ntypes = map[string]reflect.Type{\n")
	for name, t := range f.types {
		if ast.IsExported(name) && f.isConcrete(t, 0) {
			fmt.Fprintf(&out, "%q: reflect.TypeOf((*asked.%s)(nil)).Elem(),\n", name, name)
		}
	}
	fmt.Fprintf(&out, "}\nvalues = map[string]reflect.Value{\n")
	for _, row := range f.values {
		if name := strings.TrimSuffix(row, "\x00variable"); name != row {
			fmt.Fprintf(&out, "%q: reflect.ValueOf(&asked.%s).Elem(),\n", name, name)
		} else {
			fmt.Fprintf(&out, "%q: reflect.ValueOf(asked.%s),\n", name, name)
		}
	}
	names := []string{}
	for name, public := range f.exports {
		if public {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	fmt.Fprintf(&out, "}\nexports = %#v\n}\n", names)
	return out.Bytes()
}

func sorted(rows map[string][]string) []string {
	names := []string{}
	for name := range rows {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
