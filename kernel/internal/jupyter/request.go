package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Ready waits until the kernel answers and what it publishes arrives here. A subscription takes effect some time after
// the connection stands, and what is published before is lost. So Ready repeats its question until it has seen both.
func (c *Client) Ready(ctx context.Context) error {
	published := make(chan struct{}, 1)
	answered := false
	for {
		reply, err := c.send(c.shell, "kernel_info_request", struct{}{}, nil, func(Message) {
			select {
			case published <- struct{}{}:
			default:
			}
		})
		if err != nil {
			return err
		}
		try, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		if err = c.wait(try, reply, &struct{}{}); err == nil {
			answered = true
			select {
			case <-published:
				cancel()
				return nil
			case <-try.Done():
			}
		}
		cancel()
		switch {
		case errors.Is(err, ErrClosed):
			return err
		case ctx.Err() != nil && answered:
			return errors.New("jupyter: the kernel answers but nothing that it publishes arrives")
		case ctx.Err() != nil:
			return fmt.Errorf("jupyter: the kernel doesn't answer: %w", ctx.Err())
		}
	}
}

// ExecuteReply is the kernel's verdict on a piece of code.
type ExecuteReply struct {
	Status         string   `json:"status"` // ok, error or aborted
	ExecutionCount int      `json:"execution_count"`
	EName          string   `json:"ename"`
	EValue         string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// Err returns nil for status ok, else an error with the kernel's words.
func (r ExecuteReply) Err() error {
	if r.Status == "ok" {
		return nil
	}
	text := strings.TrimSpace(strings.TrimSpace(r.EName) + ": " + strings.TrimSpace(r.EValue))
	return errors.New(strings.Trim(text, ": "))
}

// Execute runs code and returns when the kernel has both replied and gone idle. Either can come first, and outputs come
// before the kernel goes idle. Every message that the kernel publishes because of the code goes to handle, one at a
// time. That includes messages that come after Execute has returned, and what the code displayed before ctx ended.
func (c *Client) Execute(ctx context.Context, code string, handle func(Message)) (ExecuteReply, error) {
	return c.ExecuteRequest(ctx, Request{Code: code, StoreHistory: true, StopOnError: true}, nil, handle)
}

// Request is the content of an execute_request.
type Request struct {
	Code            string         `json:"code"`
	Silent          bool           `json:"silent"`
	StoreHistory    bool           `json:"store_history"`
	UserExpressions map[string]any `json:"user_expressions"`
	AllowStdin      bool           `json:"allow_stdin"`
	StopOnError     bool           `json:"stop_on_error"`
}

// ExecuteRequest is Execute with everything that a front end may say in its request, and metadata, which may be nil.
func (c *Client) ExecuteRequest(ctx context.Context, request Request, metadata any, handle func(Message)) (ExecuteReply,
	error) {
	idle := make(chan struct{})
	var once sync.Once
	if request.UserExpressions == nil {
		request.UserExpressions = map[string]any{}
	}
	var r ExecuteReply
	reply, err := c.send(c.shell, "execute_request", request, metadata, func(m Message) {
		if m.Header.Type != "status" {
			handle(m)
			return
		}
		var s struct {
			State string `json:"execution_state"`
		}
		if json.Unmarshal(m.Content, &s) == nil && s.State == "idle" {
			once.Do(func() {
				c.end(m.Parent.ID)
				close(idle)
			})
		}
	})
	if err != nil {
		return r, err
	}
	if err := c.wait(ctx, reply, &r); err != nil {
		return r, err
	}
	select {
	case <-idle:
		return r, nil
	case <-ctx.Done():
		return r, ctx.Err()
	case <-c.ctx.Done():
		return r, ErrClosed
	}
}

// Ask sends a request on the shell channel and returns the content of its reply.
func (c *Client) Ask(ctx context.Context, msgType string, content any) (json.RawMessage, error) {
	var answer json.RawMessage
	err := c.ask(ctx, c.shell, msgType, content, &answer)
	return answer, err
}

// Interrupt stops the code that runs now; it returns when the kernel has taken note, not when the code has ended.
func (c *Client) Interrupt(ctx context.Context) error {
	return c.ask(ctx, c.control, "interrupt_request", struct{}{}, &struct{}{})
}

// Shutdown asks the kernel to end; it returns when the kernel has agreed.
func (c *Client) Shutdown(ctx context.Context) error {
	return c.ask(ctx, c.control, "shutdown_request", map[string]any{"restart": false}, &struct{}{})
}
