;; Products of matrices for programs in pages, with the vector instructions of WebAssembly, which Go does not use. `go generate` makes
;; products.wasm of it with wat2wasm of wabt.
;;
;; Sums have the order of GoMLX's pure-Go engine (compute v0.1.4, dot/matmul/nosimd_small.go), so that a page has the same bits: rows
;; are taken in threes, whose sums go along the contracted axis; the one or two rows at the end sum four products at a time.
(module
  (import "go" "mem" (memory 1))

  ;; products computes out = lhs·rhs for each of a batch: lhs is (batch, m, k), rhs (batch, k, n), out (batch, m, n), in float32 by rows.
  (func (export "products") (param $lhs i32) (param $rhs i32) (param $out i32) (param $batch i32) (param $m i32) (param $n i32) (param $k i32)
    (local $row i32) (local $col i32) (local $i i32) (local $a i32) (local $b i32) (local $to i32)
    (local $ka i32) (local $nb i32) (local $r0 v128) (local $r1 v128) (local $l v128)
    (local $c00 v128) (local $c01 v128) (local $c10 v128) (local $c11 v128) (local $c20 v128) (local $c21 v128)
    (local.set $ka (i32.shl (local.get $k) (i32.const 2)))  ;; bytes of a row of lhs
    (local.set $nb (i32.shl (local.get $n) (i32.const 2)))  ;; bytes of a row of rhs and of out
    (block $done (loop $batches
      (br_if $done (i32.eqz (local.get $batch)))
      (local.set $row (i32.const 0))
      (block $rest (loop $threes
        (br_if $rest (i32.gt_s (i32.add (local.get $row) (i32.const 3)) (local.get $m)))
        (local.set $col (i32.const 0))
        (block $narrow (loop $eights  ;; three rows, eight columns
          (br_if $narrow (i32.gt_s (i32.add (local.get $col) (i32.const 8)) (local.get $n)))
          (local.set $c00 (v128.const i32x4 0 0 0 0)) (local.set $c01 (v128.const i32x4 0 0 0 0))
          (local.set $c10 (v128.const i32x4 0 0 0 0)) (local.set $c11 (v128.const i32x4 0 0 0 0))
          (local.set $c20 (v128.const i32x4 0 0 0 0)) (local.set $c21 (v128.const i32x4 0 0 0 0))
          (local.set $a (i32.add (local.get $lhs) (i32.mul (local.get $row) (local.get $ka))))
          (local.set $b (i32.add (local.get $rhs) (i32.shl (local.get $col) (i32.const 2))))
          (local.set $i (local.get $k))
          (loop $sum
            (local.set $r0 (v128.load (local.get $b))) (local.set $r1 (v128.load offset=16 (local.get $b)))
            (local.set $l (v128.load32_splat (local.get $a)))
            (local.set $c00 (f32x4.add (local.get $c00) (f32x4.mul (local.get $l) (local.get $r0))))
            (local.set $c01 (f32x4.add (local.get $c01) (f32x4.mul (local.get $l) (local.get $r1))))
            (local.set $l (v128.load32_splat (i32.add (local.get $a) (local.get $ka))))
            (local.set $c10 (f32x4.add (local.get $c10) (f32x4.mul (local.get $l) (local.get $r0))))
            (local.set $c11 (f32x4.add (local.get $c11) (f32x4.mul (local.get $l) (local.get $r1))))
            (local.set $l (v128.load32_splat (i32.add (local.get $a) (i32.shl (local.get $ka) (i32.const 1)))))
            (local.set $c20 (f32x4.add (local.get $c20) (f32x4.mul (local.get $l) (local.get $r0))))
            (local.set $c21 (f32x4.add (local.get $c21) (f32x4.mul (local.get $l) (local.get $r1))))
            (local.set $a (i32.add (local.get $a) (i32.const 4)))
            (local.set $b (i32.add (local.get $b) (local.get $nb)))
            (br_if $sum (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
          (local.set $to (i32.add (local.get $out) (i32.add (i32.mul (local.get $row) (local.get $nb)) (i32.shl (local.get $col) (i32.const 2)))))
          (v128.store (local.get $to) (local.get $c00)) (v128.store offset=16 (local.get $to) (local.get $c01))
          (local.set $to (i32.add (local.get $to) (local.get $nb)))
          (v128.store (local.get $to) (local.get $c10)) (v128.store offset=16 (local.get $to) (local.get $c11))
          (local.set $to (i32.add (local.get $to) (local.get $nb)))
          (v128.store (local.get $to) (local.get $c20)) (v128.store offset=16 (local.get $to) (local.get $c21))
          (local.set $col (i32.add (local.get $col) (i32.const 8)))
          (br $eights)))
        (block $threesDone (loop $columns  ;; three rows, the columns that are left
          (br_if $threesDone (i32.ge_s (local.get $col) (local.get $n)))
          (call $sum (local.get $lhs) (local.get $rhs) (local.get $out) (local.get $row) (local.get $col) (local.get $n) (local.get $k))
          (call $sum (local.get $lhs) (local.get $rhs) (local.get $out) (i32.add (local.get $row) (i32.const 1)) (local.get $col) (local.get $n) (local.get $k))
          (call $sum (local.get $lhs) (local.get $rhs) (local.get $out) (i32.add (local.get $row) (i32.const 2)) (local.get $col) (local.get $n) (local.get $k))
          (local.set $col (i32.add (local.get $col) (i32.const 1)))
          (br $columns)))
        (local.set $row (i32.add (local.get $row) (i32.const 3)))
        (br $threes)))
      (block $rows (loop $row
        (br_if $rows (i32.ge_s (local.get $row) (local.get $m)))
        (local.set $col (i32.const 0))
        (block $columnsDone (loop $columns
          (br_if $columnsDone (i32.ge_s (local.get $col) (local.get $n)))
          (call $fours (local.get $lhs) (local.get $rhs) (local.get $out) (local.get $row) (local.get $col) (local.get $n) (local.get $k))
          (local.set $col (i32.add (local.get $col) (i32.const 1)))
          (br $columns)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $row)))
      (local.set $lhs (i32.add (local.get $lhs) (i32.mul (local.get $m) (local.get $ka))))
      (local.set $rhs (i32.add (local.get $rhs) (i32.mul (local.get $k) (local.get $nb))))
      (local.set $out (i32.add (local.get $out) (i32.mul (local.get $m) (local.get $nb))))
      (local.set $batch (i32.sub (local.get $batch) (i32.const 1)))
      (br $batches))))

  ;; sum computes out[row, col], one product after the other.
  (func $sum (param $lhs i32) (param $rhs i32) (param $out i32) (param $row i32) (param $col i32) (param $n i32) (param $k i32)
    (local $s f32) (local $i i32) (local $a i32) (local $b i32)
    (local.set $a (i32.add (local.get $lhs) (i32.shl (i32.mul (local.get $row) (local.get $k)) (i32.const 2))))
    (local.set $b (i32.add (local.get $rhs) (i32.shl (local.get $col) (i32.const 2))))
    (local.set $i (local.get $k))
    (loop $next
      (local.set $s (f32.add (local.get $s) (f32.mul (f32.load (local.get $a)) (f32.load (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 4)))
      (local.set $b (i32.add (local.get $b) (i32.shl (local.get $n) (i32.const 2))))
      (br_if $next (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (f32.store (i32.add (local.get $out) (i32.shl (i32.add (i32.mul (local.get $row) (local.get $n)) (local.get $col)) (i32.const 2))) (local.get $s)))

  ;; fours computes out[row, col], four products at a time, and what is left one after the other.
  (func $fours (param $lhs i32) (param $rhs i32) (param $out i32) (param $row i32) (param $col i32) (param $n i32) (param $k i32)
    (local $s f32) (local $i i32) (local $a i32) (local $b0 i32) (local $b1 i32) (local $b2 i32) (local $b3 i32) (local $nb i32)
    (local.set $nb (i32.shl (local.get $n) (i32.const 2)))
    (local.set $a (i32.add (local.get $lhs) (i32.shl (i32.mul (local.get $row) (local.get $k)) (i32.const 2))))
    (local.set $b0 (i32.add (local.get $rhs) (i32.shl (local.get $col) (i32.const 2))))
    (local.set $i (local.get $k))
    (block $rest (loop $next
      (br_if $rest (i32.lt_s (local.get $i) (i32.const 4)))
      (local.set $b1 (i32.add (local.get $b0) (local.get $nb)))
      (local.set $b2 (i32.add (local.get $b1) (local.get $nb)))
      (local.set $b3 (i32.add (local.get $b2) (local.get $nb)))
      (local.set $s (f32.add (local.get $s)
        (f32.add (f32.add (f32.add
          (f32.mul (f32.load (local.get $a)) (f32.load (local.get $b0)))
          (f32.mul (f32.load offset=4 (local.get $a)) (f32.load (local.get $b1))))
          (f32.mul (f32.load offset=8 (local.get $a)) (f32.load (local.get $b2))))
          (f32.mul (f32.load offset=12 (local.get $a)) (f32.load (local.get $b3))))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b0 (i32.add (local.get $b3) (local.get $nb)))
      (local.set $i (i32.sub (local.get $i) (i32.const 4)))
      (br $next)))
    (block $done (loop $one
      (br_if $done (i32.eqz (local.get $i)))
      (local.set $s (f32.add (local.get $s) (f32.mul (f32.load (local.get $a)) (f32.load (local.get $b0)))))
      (local.set $a (i32.add (local.get $a) (i32.const 4)))
      (local.set $b0 (i32.add (local.get $b0) (local.get $nb)))
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br $one)))
    (f32.store (i32.add (local.get $out) (i32.shl (i32.add (i32.mul (local.get $row) (local.get $n)) (local.get $col)) (i32.const 2))) (local.get $s))))
