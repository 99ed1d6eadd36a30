package live

// slim reports whether a place of a width in px is a phone's; 0 is a width that is not known.
func slim(width int) bool { return 0 < width && width < 480 }

// place returns the width in px of the figure's place; 0 if it is not known.
func (s *session) place() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width
}

// reshape replaces the drawing by that for another width.
func (s *session) reshape() {
	width := s.place()
	figure, rich := s.shown.wired(width)
	s.mu.Lock()
	s.figure, s.state.Rich, s.fitted = figure, rich, width
	s.state.Version++
	s.mu.Unlock()
	s.post(true)
}

// resized reports whether the figure is drawn for a place of another kind.
func (s *session) resized() bool { return !s.state.Rich && slim(s.width) != slim(s.fitted) }
