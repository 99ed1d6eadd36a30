package command

import (
	_ "embed"

	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// An hour in which cells change what other cells have defined, and act on the world, which they do once each. SERVER
// stands for the URL of a server that counts POSTs. The kernel is started anew before changingAgain.
var (
	//go:embed testdata/changing.txt
	changingText string
	//go:embed testdata/changing_again.txt
	changingAgainText string

	changing, changingAgain = kerneltest.Read(changingText), kerneltest.Read(changingAgainText)
)

// changingPosts is how often the session posts.
const changingPosts = 2
