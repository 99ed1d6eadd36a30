// Package dirtyfiles reads thousands of dirty files, whose truth a generator knows, by all readers of this module:
// tables in dialects of many programs, rasters with the files beside them, and districts. It consists of tests only.
//
//	go test ./kernel/internal/faults/dirtyfiles    # 500 texts, made in Go
//	EXPFAM_TEST_PYTHON=PYTHON go test ./kernel/internal/faults/dirtyfiles -run TestPython -full -v
//
// PYTHON has testdata/requirements.txt. It makes 2000 files (testdata/dirty.py), and reads each by pandas, rasterio or
// pyogrio. A file is "equal" if a reader found the truth, to the last digit and place, and "refused" if the reader
// returned an error, or a report that lists the rows. It is refused "later" if the first function that uses what was
// read returned an error, as for a number such as -9999 that no metadata declare as missing. All other outcomes are
// faults and fail the test: "different" from the truth without a word, and panics. Clean files must be equal. The
// columns of Python are of a person who tells its readers how the file was written: "text" are cells that stay text
// where the truth has numbers, which a person sees.
//
// This is commit f42e61d, before the readers were mended:
//
//	equal  refused  later  different  panics  Python: equal  text  different  error  reader
//	   96       68      0         16       0            133     0         13     34  asc
//	  109      186      0          5       0            227     0         23     50  column
//	   87      165      0          8       0            196    47         16      1  csv
//	   67      120      0         53       0             93     0         97     50  geojson
//	  186      146      0         88       0            369     0         38     13  geotiff
//	   42       78      0          0       0             87     0          0     33  npy
//	   77       82      0          1       0            134    12          7      7  points
//	   49       61      0         50       0            102     0         51      7  shapefile
//	   67       93      0          0       0             89    52         13      6  survey
//	  780      999      0        221       0           1430   111        258    201  all
//
// This is the state after that:
//
//	equal  refused  later  different  panics  Python: equal  text  different  error  reader
//	  121       59      0          0       0            133     0         13     34  asc
//	  142      157      1          0       0            227     0         23     50  column
//	  103      157      0          0       0            196    47         16      1  csv
//	   93      147      0          0       0             93     0         97     50  geojson
//	  253      164      3          0       0            369     0         38     13  geotiff
//	   42       78      0          0       0             87     0          0     33  npy
//	   92       68      0          0       0            134    12          7      7  points
//	  103       57      0          0       0            102     0         51      7  shapefile
//	   69       91      0          0       0             89    52         13      6  survey
//	 1018      978      4          0       0           1430   111        258    201  all
//
// This is the state with dates, shuffled indexes, prime meridians, other datums and bodies, sums by other names, means,
// and sums that count what is missing among the files:
//
//	equal  refused  later  different  panics  Python: equal  text  different  error  reader
//	  120       60      0          0       0            129     0         13     38  asc
//	  138      162      0          0       0            224     0         37     39  column
//	  103      157      0          0       0            196    47         16      1  csv
//	  101      139      0          0       0            107     0         80     53  geojson
//	  258      156      6          0       0            359     0         49     12  geotiff
//	   46       74      0          0       0             88     0          0     32  npy
//	   90       70      0          0       0            134    12          7      7  points
//	  120       40      0          0       0             99     0         49     12  shapefile
//	   77       83      0          0       0             88    53         13      6  survey
//	 1053      941      6          0       0           1424   112        264    200  all
//
// Some files cannot be told from others by any reader, and are not made: names in a code page that nothing declares and
// whose bytes are letters of Western Europe as well, and positions with latitude first whose "crs" says the opposite.
package dirtyfiles
