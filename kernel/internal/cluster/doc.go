// Package cluster runs the shares of a notebook, and the merge behind them, as jobs of Slurm.
//
// What is to be done stands in the job's folder and never changes ([Job], job.json). What is done stands there as well: the scripts of
// deploy/slurm leave a file for each share that ended (log/share-3.done, log/share-3.failed). What goes on is what squeue lists under the
// job's name. So a watch that was ended, by whatever, is taken up by a second call with the same job: nothing is submitted twice.
package cluster
