// Package cluster runs the shares of a notebook, and the merge behind them, as jobs of Slurm, of another scheduler or
// of this machine, and writes them as a manifest for Kubernetes.
//
// What is to be done stands in the job's folder and never changes ([Job], job.json). What is done stands there as well:
// for each share that ended, the scripts of deploy/slurm leave a file (log/share-3.done, log/share-3.failed). What
// waits or runs is listed by squeue under the job's name. So a second call with the same job continues a watch that has
// ended for whatever reason, and nothing is submitted twice.
package cluster
