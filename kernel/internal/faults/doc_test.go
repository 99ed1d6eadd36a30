// Package faults injects faults into all parts of this module that people use, area by area, and counts the outcomes.
// It consists of tests only, and nothing imports it.
//
//	go test ./kernel/internal/faults -full -v -timeout 1h
//
// In the tables below, "right" counts correct results, and "refused" counts clear errors of one sentence. All other
// outcomes are faults and fail the test. "Panics" counts panics. "Wrong" counts wrong answers without an error, and
// errors that say nothing. "Lost" counts results and files that are lost or torn. "Unbounded" counts cases that take
// more time or memory than an input of their size may. Without -full each area does a few of the same cases. The random
// numbers of the cases are the same in every run, but the place where a kill or an interrupt strikes is not.
//
// This is commit fb8ff3b, before the faults were mended. The tests were adapted to its other names for the scripts of a
// page, and to nothing else:
//
//	cases  right  refused  panics  wrong  lost  unbounded  area
//	18000   2796    15119       0     85     0          0  readers of grids
//	  150    120       17       0      0     0         13  folders of images
//	  400    400        0       0      0     0          0  interrupts
//	  240    199        0       0     41     0          0  keys of draws
//	   48     33        0       0     15     0          0  keys of networks
//	  170    168        0       0      0     2          0  kills
//	  370    131      204       0      0    35          0  full disks
//	20000   5318    14674       0      8     0          0  links
//	20000  15228     4768       0      4     0          0  observations and likelihoods
//	 6001   2367     1207       0   2427     0          0  notebooks and pages
//	  150      0      150       0      0     0          0  commands of the runner
//	   81     12       46       0      9    14          0  places that cannot be written
//	   69      0       56       8      3     0          2  settings, each once
//	 5000   2698     2302       0      0     0          0  survey tables
//	 9000      4     8996       0      0     0          0  networks and posteriors
//	 1500      0      364       0   1136     0          0  forged numbers
//
// This is the state after the faults were mended:
//
//	cases  right  refused  panics  wrong  lost  unbounded  area
//	18000   2727    15273       0      0     0          0  readers of grids
//	  150    129       21       0      0     0          0  folders of images
//	  400    400        0       0      0     0          0  interrupts
//	  240    240        0       0      0     0          0  keys of draws
//	   48     48        0       0      0     0          0  keys of networks
//	  170    170        0       0      0     0          0  kills
//	  370    166      204       0      0     0          0  full disks
//	20000   5318    14682       0      0     0          0  links
//	20000  15228     4772       0      0     0          0  observations and likelihoods
//	 6001   4794     1207       0      0     0          0  notebooks and pages
//	  150      0      150       0      0     0          0  commands of the runner
//	   81     26       55       0      0     0          0  places that cannot be written
//	  997      0      997       0      0     0          0  settings
//	 5000   2698     2302       0      0     0          0  survey tables
//	 9000      5     8995       0      0     0          0  networks and posteriors
//	 1500      0     1500       0      0     0          0  forged numbers
//
// The faults of the first table are: points that were cut to a map of zeros, files of a few hundred bytes that become
// images of half a gigabyte, keys that don't see edited code, sheets of images that a kill leaves empty, results that a
// full disk or a broken store throws away, link functions with a pole, sums that overflow, scripts in pages, symbolic
// links and private files that were replaced by public files, impossible sizes, and files with NaN and a right
// checksum.
package faults
