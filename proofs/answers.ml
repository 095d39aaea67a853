(* The answers of the program that Why3 extracts from the definition (broadcast.mlw, module Program), as a file.

   usage: answers FILE

   The file is a sequence of tables; numbers are little-endian. A shape of at most max_rank axes with sizes below `sizes` is
   one number: all shapes in the order of their ranks, and within a rank in the order of their sizes, the outermost first.

   - two operands, for every pair of shapes: u16, the result, `none` if there is none
   - one way, for every pair of shapes: u8, whether the first stretches to the second
   - offsets, for every pair of shapes with sizes below `small` of which the first stretches to the second: u16 first,
     u16 second, u16 number of elements, and u8 offset for each index of the second, the last axis fastest; ends with `none`
   - placement, for every rank 0 .. max_rank, for every list of 0 .. max_rank axes from -1 to the rank (the shorter first, and
     among those of a length the smaller first entry), for every shape with sizes below `small`: u16, that shape with these
     broadcast_dimensions in this rank, `none` if they are not valid
   - drawn operands: u32 number of cases, each with u32 number of bytes, and of that many bytes: u8 number of operands; for
     each operand u8 rank and u8 letters (a size below 6, N is 6 and M is 7); for each value of N and each value of M,
     0 .. values - 1 or only 0 where the symbol does not occur, u8 rank of the result, 255 if there is none, and u8 sizes; then
     u8 1 if there are offsets: u8 N, u8 M, u16 number of indices, for each of them u8 entries of the index, and u32 offset for
     each operand *)

let max_rank = 4
let sizes = 6
let small = 4
let values = 8
let n_drawn = 100000
let max_indices = 48
let none = 0xffff

(* ---- Shapes: here the outermost axis comes first, in the program the innermost ---- *)

let to_program shape = List.rev_map Z.of_int shape
let of_program list = List.rev_map Z.to_int list
let broadcast shapes = Option.map of_program (Program.broadcast_all (List.map to_program shapes))
let stretches a r = Program.stretches (to_program a) (to_program r)

let place shape axes rank =
  let from_innermost = List.rev_map (fun axis -> Z.of_int (rank - 1 - axis)) axes in
  Option.map of_program (Program.place (to_program shape) from_innermost (Z.of_int rank))

let offset shape index = Z.to_int (Program.offset (to_program shape) (to_program index))

(* All lists of a length with entries from the first to the last. *)
let rec lists length first last =
  if length = 0 then [ [] ]
  else
    let entries = List.init (last - first + 1) (fun i -> first + i) in
    List.concat_map (fun n -> List.map (fun rest -> n :: rest) (lists (length - 1) first last)) entries

let up_to_max_rank f = List.concat_map f (List.init (max_rank + 1) Fun.id)
let shapes = Array.of_list (up_to_max_rank (fun rank -> lists rank 0 (sizes - 1)))
let numbers = Hashtbl.create 4096
let () = Array.iteri (fun i shape -> Hashtbl.add numbers shape i) shapes

let rec indices = function
  | [] -> [ [] ]
  | n :: rest -> List.concat_map (fun i -> List.map (fun others -> i :: others) (indices rest)) (List.init n Fun.id)

(* ---- Tables ---- *)

let file = Buffer.create (1 lsl 25)
let case = Buffer.create 65536
let put_u8 out n = assert (n >= 0 && n < 0x100); Buffer.add_uint8 out n
let put_u16 out n = assert (n >= 0 && n < 0x10000); Buffer.add_uint16_le out n
let put_u32 out n = assert (n >= 0); Buffer.add_int32_le out (Int32.of_int n)
let every_pair f = Array.iter (fun a -> Array.iter (fun b -> f a b) shapes) shapes

let two_operands () =
  every_pair (fun a b ->
      put_u16 file (match broadcast [ a; b ] with None -> none | Some r -> Hashtbl.find numbers r))

let one_way () = every_pair (fun a r -> put_u8 file (Bool.to_int (stretches a r)))

let is_small = List.for_all (fun n -> n < small)

let offsets () =
  every_pair (fun s r ->
      if is_small s && is_small r && stretches s r then begin
        let inside = indices r in
        put_u16 file (Hashtbl.find numbers s);
        put_u16 file (Hashtbl.find numbers r);
        put_u16 file (List.length inside);
        List.iter (fun i -> put_u8 file (offset s i)) inside
      end);
  put_u16 file none

let placement () =
  let answer rank axes shape =
    if is_small shape then
      put_u16 file (match place shape axes rank with None -> none | Some t -> Hashtbl.find numbers t)
  in
  for rank = 0 to max_rank do
    List.iter (fun axes -> Array.iter (answer rank axes) shapes) (up_to_max_rank (fun length -> lists length (-1) rank))
  done

(* ---- Drawn operands ---- *)

let state = ref 2023

(* A number below n. Not the generator of the standard library, which changes between its versions. *)
let below n =
  state := (!state * 2862933555777941757) + 3037000493;
  (!state lsr 20) mod n

let one_in n = below n = 0
let letter n_letters = if n_letters > 6 && one_in 3 then 6 + below (n_letters - 6) else below 6

(* Operands of one result, of which some axes are 1, some outermost axes are missing and few have another letter. *)
let draw_operands n_letters =
  let result = List.init (below 9) (fun _ -> letter n_letters) in
  let strange = 20 + below 200 in
  let rec without n shape = if n = 0 then shape else without (n - 1) (List.tl shape) in
  List.init (below 6) (fun _ ->
      let missing = if one_in 2 then 0 else below (List.length result + 1) in
      List.map (fun l -> if one_in 3 then 1 else if one_in strange then letter n_letters else l) (without missing result))

let at n m letters = List.map (fun l -> if l = 6 then n else if l = 7 then m else l) letters

let u8 = put_u8 case
let answer = function
  | None -> u8 255
  | Some shape -> u8 (List.length shape); List.iter u8 shape

let draw_indices shape =
  let n_elements = List.fold_left ( * ) 1 shape in
  if n_elements <= max_indices then indices shape
  else List.init max_indices (fun _ -> List.map below shape)

let drawn_offsets operands n m =
  match broadcast (List.map (at n m) operands) with
  | None -> u8 0
  | Some result ->
    let drawn = draw_indices result in
    u8 1; u8 n; u8 m;
    put_u16 case (List.length drawn);
    List.iter (fun i -> List.iter u8 i; List.iter (fun o -> put_u32 case (offset (at n m o) i)) operands) drawn

let drawn_case () =
  Buffer.clear case;
  let operands = draw_operands (if one_in 2 then 6 else 8) in
  u8 (List.length operands);
  List.iter (fun o -> answer (Some o)) operands;
  let values_of symbol = if List.exists (List.mem symbol) operands then values else 1 in
  let values_n = values_of 6 and values_m = values_of 7 in
  for n = 0 to values_n - 1 do
    for m = 0 to values_m - 1 do answer (broadcast (List.map (at n m) operands)) done
  done;
  drawn_offsets operands (below values_n) (below values_m);
  put_u32 file (Buffer.length case);
  Buffer.add_buffer file case

let () =
  two_operands ();
  one_way ();
  offsets ();
  placement ();
  put_u32 file n_drawn;
  for _ = 1 to n_drawn do drawn_case () done;
  let written = open_out_bin Sys.argv.(1) in
  Buffer.output_buffer written file;
  close_out written
