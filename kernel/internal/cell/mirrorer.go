package cell

// mirrorer returns the source of main_mirror, which returns a pointer to the same value with another type, whose fields
// are all exported: gob leaves out the others. The mirror of a struct has the same fields in the same order, so that
// the values lie at the same places.
func mirrorer() string {
	return `func main_mirror(p any) any {
	v := main_reflect.ValueOf(p)
	return main_reflect.NewAt(main_mirrored(v.Type().Elem()), v.UnsafePointer()).Interface()
}

func main_mirrored(t main_reflect.Type) main_reflect.Type {
	switch t.Kind() {
	case main_reflect.Pointer:
		return main_reflect.PointerTo(main_mirrored(t.Elem()))
	case main_reflect.Slice:
		return main_reflect.SliceOf(main_mirrored(t.Elem()))
	case main_reflect.Array:
		return main_reflect.ArrayOf(t.Len(), main_mirrored(t.Elem()))
	case main_reflect.Struct:
		if _, is := main_reflect.PointerTo(t).MethodByName("GobEncode"); is || t.PkgPath() != "main" && t.PkgPath() != "" {
			return t
		}
		var all []main_reflect.StructField
		for i := 0; i < t.NumField(); i++ {
			all = append(all, main_reflect.StructField{Name: main_fmt.Sprint("F", i), Type: main_mirrored(t.Field(i).Type)})
		}
		return main_reflect.StructOf(all)
	}
	return t
}

`
}
