// Package slurm has the scripts that `expfam submit` gives to Slurm: a share of a job, and the merge of all shares. Its
// other files make a cluster on one machine and check the scripts there.
package slurm

import _ "embed"

// Share is the script of one task of the array. Merge is the script of the job behind the array.
var (
	//go:embed share.sh
	Share string
	//go:embed merge.sh
	Merge string
)
