#include "ops/kernel/matrices.h"

#include "core/base/integers.h"
#include "ops/kernel/common.h"

/* Reads the strides of a matrix in the last two axes. False unless its rows or columns are dense and no axis with more than one
 * element has stride 0. */
static bool read_matrix(const ob_view *view, ob_matrix *out) {
    int64_t width = (int64_t)ob_dtype_size(view->dtype);
    int64_t rows = view->dims[view->rank - 2], columns = view->dims[view->rank - 1];
    int64_t row = view->strides[view->rank - 2], column = view->strides[view->rank - 1];
    if (columns <= 1) column = width;
    if (rows <= 1) row = (columns > 0 ? columns : 1) * width;
    bool dense = column == width && row >= columns * width && row % width == 0;
    if (!dense) {
        if (rows <= 1) row = width;
        if (columns <= 1) column = (rows > 0 ? rows : 1) * width;
        if (row != width || column < rows * width || column % width != 0) return false;
    }
    for (int32_t a = 0; a < view->rank - 2; a++)
        if (view->strides[a] % width != 0) return false;
    *out = (ob_matrix){.row = row / width, .column = column / width};
    return true;
}

static void insert_axis(ob_view *view, int32_t axis) {
    for (int32_t a = view->rank; a > axis; a--) {
        view->dims[a] = view->dims[a - 1];
        view->strides[a] = view->strides[a - 1];
    }
    view->dims[axis] = 1;
    view->strides[axis] = 0;
    view->rank++;
}

static ob_status place(const ob_kernel_site *site, ob_view *view, int32_t n_batch, ob_matrix *out, ob_error *error) {
    size_t width = ob_dtype_size(view->dtype);
    if (!read_matrix(view, out)) {
        ob__contiguous_strides(view->rank, view->dims, width, view->strides);
        int64_t columns = view->dims[view->rank - 1];
        *out = (ob_matrix){.row = columns > 0 ? columns : 1, .column = 1, .copied = true};
    }
    out->batch = ob__tail(site, (uint64_t)n_batch + 1, sizeof(int64_t));
    OB_FAIL_IF(!out->batch, error, OB_E_MEMORY, "no memory for a plan");
    int32_t n_own = view->rank - 2;
    for (int32_t i = 0; i < n_own; i++)
        if (view->dims[i] != 1) out->batch[n_batch - n_own + i] = view->strides[i] / (int64_t)width;
    return OB_OK;
}

static int64_t batch_dim(const ob_view *view, int32_t from_end) {
    int32_t a = view->rank - 3 - from_end;
    return a >= 0 ? view->dims[a] : 1;
}

/* If a batch shares B and its matrices A follow each other, they become rows of one product. */
static void join_rows(ob_matrices *p) {
    while (p->n_batch > 0 && p->a.column == 1) {
        int32_t last = p->n_batch - 1;
        int64_t step = p->a.batch[last];
        bool rows = p->b.batch[last] == 0 && step == p->m * p->a.row;
        if (p->m == 1 && p->b.batch[last] == 0 && step >= p->k && step > 0) {
            p->a.row = step;
            rows = true;
        }
        if (!rows && p->batch[last] != 1) return;
        p->m *= p->batch[last];
        p->n_batch--;
    }
}

ob_status ob__matrices(const ob_kernel_site *site, const ob_view *a, const ob_view *b, const ob_view *out, bool joins,
                       ob_matrices *p, ob_error *error) {
    ob_view x = *a, y = *b;
    OB_FAIL_IF(x.rank < 1 || y.rank < 1, error, OB_E_SHAPE, "an operand is a scalar");
    OB_FAIL_IF(x.rank == OB_MAX_RANK || y.rank == OB_MAX_RANK, error, OB_E_LIMIT, "rank %d", OB_MAX_RANK);
    if (x.rank == 1) insert_axis(&x, 0);
    if (y.rank == 1) insert_axis(&y, 1);
    p->m = x.dims[x.rank - 2];
    p->k = x.dims[x.rank - 1];
    p->n = y.dims[y.rank - 1];
    OB_FAIL_IF(y.dims[y.rank - 2] != p->k, error, OB_E_SHAPE, "%lld columns of A against %lld rows of B", (long long)p->k,
               (long long)y.dims[y.rank - 2]);
    p->n_batch = (x.rank > y.rank ? x.rank : y.rank) - 2;
    p->n_axes = p->n_batch;
    p->batch = ob__tail(site, (uint64_t)p->n_batch + 1, sizeof(int64_t));
    OB_FAIL_IF(!p->batch, error, OB_E_MEMORY, "no memory for a plan");
    int64_t count = 1;
    for (int32_t i = 0; i < p->n_batch; i++) {
        int64_t of_x = batch_dim(&x, p->n_batch - 1 - i), of_y = batch_dim(&y, p->n_batch - 1 - i);
        OB_FAIL_IF(of_x != of_y && of_x != 1 && of_y != 1, error, OB_E_SHAPE, "batch axis %d: %lld does not broadcast with %lld",
                   i, (long long)of_x, (long long)of_y);
        p->batch[i] = of_x == 1 ? of_y : of_x;
        count *= p->batch[i];
    }
    int64_t n_out = ob__count(out);
    OB_FAIL_IF(count * p->m * p->n != n_out, error, OB_E_SHAPE, "the result has %lld elements", (long long)n_out);
    OB_TRY(place(site, &x, p->n_batch, &p->a, error));
    OB_TRY(place(site, &y, p->n_batch, &p->b, error));
    if (joins) join_rows(p);
    return OB_OK;
}

/* The rows and columns of all tiles divide the first, the columns of all tiles the second, and the columns of tiles with one row
 * the third. */
enum { ALL_TILES = 96, WIDE_TILES = 32, ONE_ROW = 128 };

/* The size of a part if n is divided into about `wish` parts: a multiple of `unit`. */
static int64_t part_size(int64_t n, double wish, int64_t unit) {
    int64_t parts = wish < 1 ? 1 : wish > (double)n ? n : (int64_t)wish;
    int64_t size = ob__round_up(ob__ceil_div(n, parts), unit);
    return size < n ? size : n;
}

void ob__cut_matrices(ob_matrices *p, bool a_packed, bool b_packed) {
    enum { MOST = 16, FEW = 4, FEW_ROWS = 12, ROWS = 192, PACKED_ROWS = 480, MOST_K = 1024, LONG_RUN = 1024 };
    const bool both = a_packed && b_packed;
    /* multiplications: some 30 us and 4 ms of one core; 10 ms for parts that must be large in both directions */
    const double least_work = 0x1p20, most_work = both ? 0x1p29 : 0x1p27;
    int64_t products = ob__product(p->batch, 0, p->n_batch);
    p->down = p->across = p->group = 1;
    p->rows = p->m;
    p->columns = p->n;
    p->n_chunks = products;
    if (p->m <= 0 || p->n <= 0 || products <= 0) {
        p->n_chunks = 0;
        return;
    }
    /* Loading B takes as long as the multiplications of some rows. */
    const double work = (double)(p->m < FEW_ROWS ? FEW_ROWS : p->m) * (double)p->n * (double)(p->k > 0 ? p->k : 1);
    double parts = work / least_work;
    if (products == 1 && parts >= 0.5 && parts < 2) parts = 2; /* two threads gain from 10 us on */
    if (parts < 1) {
        double group = 1 / parts;
        p->group = group < (double)products ? (int64_t)group : products;
        p->n_chunks = ob__ceil_div(products, p->group);
        return;
    }
    if (parts > MOST) parts = work / most_work > MOST ? work / most_work : MOST;
    /* One row reads a part's columns of each row of B, a run that starts in another page: few long runs are faster than many
     * short ones. */
    const int64_t whole_runs = p->n / LONG_RUN;
    const double runs = (double)whole_runs, pieces = work / most_work;
    if (p->m == 1 && !b_packed && p->b.column == 1 && runs >= 2 && parts > runs) parts = runs > pieces ? runs : pieces;
    /* Each part packs its own columns of B, so few parts along the rows pack least. With packed B a part has rows of A that fit
     * into the second-level cache, if A is packed a block of k of them, and reads them for more columns. */
    double across = parts;
    const double down = (double)p->m / (both ? PACKED_ROWS : ROWS);
    if (b_packed && (a_packed || p->k <= MOST_K) && down > 1) across = down < parts ? parts / down : 1;
    /* Two halves of the rows: in the next step a thread reads the rows that it wrote. */
    if (products == 1 && parts == 2 && p->m >= 2 * FEW_ROWS) across = 1;
    p->columns = part_size(p->n, across, p->m == 1 ? ONE_ROW : parts < FEW ? WIDE_TILES : ALL_TILES);
    p->across = ob__ceil_div(p->n, p->columns);
    p->rows = part_size(p->m, parts / (double)p->across, parts > 2 ? ALL_TILES : 2);
    p->down = ob__ceil_div(p->m, p->rows);
    p->n_chunks = products * p->down * p->across;
}

/* The size of equal parts of n, at most `most`, as a multiple of UNIT. */
static int64_t equal_part(int64_t n, int64_t most) {
    enum { UNIT = 32 };
    int64_t parts = ob__ceil_div(n, most), size = ob__round_up(ob__ceil_div(n, parts), UNIT);
    return size < n ? size : n;
}

void ob__cut_coarsely(ob_matrices *p) {
    enum { PARTS = 8, ROWS = 512, COLUMNS = 2048, LEAST = 256, UNIT_OF_K = 256 };
    int64_t products = ob__product(p->batch, 0, p->n_batch), rows = ROWS, columns = COLUMNS;
    p->group = 1;
    for (;;) {
        p->rows = equal_part(p->m, rows);
        p->columns = equal_part(p->n, columns);
        p->down = ob__ceil_div(p->m, p->rows);
        p->across = ob__ceil_div(p->n, p->columns);
        bool few = products < PARTS && p->down < PARTS && p->across < PARTS && products * p->down * p->across < PARTS;
        if (!few || (p->rows <= LEAST && p->columns <= LEAST)) break;
        if (p->columns > p->rows)
            columns = (p->columns + 1) / 2;
        else
            rows = (p->rows + 1) / 2;
    }
    p->n_chunks = products * p->down * p->across;
    /* 2^28 multiplications: 3 to 15 ms */
    int64_t inner = (INT64_C(1) << 28) / (p->rows * p->columns) / UNIT_OF_K * UNIT_OF_K;
    p->inner = inner < UNIT_OF_K ? UNIT_OF_K : inner;
}

int64_t ob__n_parts(const ob_matrices *p, int64_t chunk) {
    int64_t left = ob__product(p->batch, 0, p->n_batch) - chunk * p->group;
    return p->group == 1 ? 1 : left < p->group ? left : p->group;
}

int64_t ob__batch_offset(const ob_matrices *p, int64_t product, const int64_t *steps) {
    int64_t at = 0;
    for (int32_t axis = p->n_batch - 1; axis >= 0; axis--) {
        at += product % p->batch[axis] * steps[axis];
        product /= p->batch[axis];
    }
    return at;
}

ob_matrices_part ob__part(const ob_matrices *p, int64_t chunk, int64_t index) {
    int64_t n_parts = p->down * p->across, product = chunk * p->group + index, at = 0;
    if (p->group == 1) {
        product = chunk / n_parts;
        at = chunk % n_parts;
    }
    ob_matrices_part part = {.row = at / p->across * p->rows, .column = at % p->across * p->columns, .product = product};
    part.rows = p->m - part.row < p->rows ? p->m - part.row : p->rows;
    part.columns = p->n - part.column < p->columns ? p->n - part.column : p->columns;
    part.a = part.row * p->a.row + ob__batch_offset(p, product, p->a.batch);
    part.b = part.column * p->b.column + ob__batch_offset(p, product, p->b.batch);
    part.y = (product * p->m + part.row) * p->n + part.column;
    return part;
}
