package raster

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Names, units and descriptions of counts.
func TestIsCounted(t *testing.T) {
	for text, want := range map[string]bool{
		"nga_ppp_2020.tif": true, "GHS_POP_E2020_GLOBE_R2023A.tif": true, "pop.asc": true, "AfriPOP10.tif": true,
		"ETH20ppp.tif":                           true,
		"gpw_v4_population_count_rev11_2020.tif": true, "landscan-global-2020.tif": true, "people": true,
		"persons per pixel": true,
		"people/cell":       true, "Counts.tif": true, "Population2020.tif": true, "district-cases.csv": true,
		"Población.tif":                       true,
		"gpw_v4_population_density_rev11.tif": false, "nga_pd_2020_1km.tif": false, "people/km2": false,
		"persons per sq km": false,
		"people per km²":    false, "cases per 1000": false, "popular.tif": false, "discount.tif": false,
		"elevation.tif":  false,
		"count_mean.tif": false, "population_growth.tif": false, "topography.tif": false, "": false,
		"pop_mask.tif": false,
	} {
		must.Equal(t, isCounted(text), want, text, !want)
	}
	must.Be(t, !isCounted("pop.tif", "people/km2"), "a unit of densities")
	path := write(t, "nga_ppp_2020.csv", "1,2\n")
	f, err := (CSV{}).Read(path)
	must.Be(t, err == nil && f.Counts, "%v, %v", f, err)
	path = write(t, "a.tif", tiffOf(t, []byte{1, 2}, tiffEntry{tagDescription, []byte("inhabitants\x00")}))
	f, err = (GeoTIFF{}).Read(path)
	must.Be(t, err == nil && f.Counts, "%v, %v", f, err)
	path = write(t, "a.tif", tiffOf(t, []byte{1, 2}, tiffEntry{tagMetadata, []byte(`<GDALMetadata>` +
		`<Item name="UNITTYPE" sample="0" role="unittype">people</Item></GDALMetadata>` + "\x00")}))
	f, err = (GeoTIFF{}).Read(path)
	must.Be(t, err == nil && f.Counts && f.Without(1).Counts && f.Transpose().Counts, "%v, %v", f, err)
}
