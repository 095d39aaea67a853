/* The tile sizes, as cases of a switch: TILE(rows, panels). Few rows do not fill the registers alone, so they take several
 * panels. */
TILE(1, 1);
TILE(1, 4);
TILE(2, 1);
TILE(2, 2);
TILE(3, 1);
TILE(4, 1);
#if OBK_TILE_ROWS > 4
TILE(5, 1);
TILE(6, 1);
#endif
#if OBK_TILE_ROWS > 6
TILE(7, 1);
TILE(8, 1);
TILE(9, 1);
TILE(10, 1);
TILE(11, 1);
TILE(12, 1);
#endif
