# Prints overlap.json: regions of one to four polygons, some with a hole, and what Shapely finds of them: the area that
# they cover once, and the sum over the parts of the plane covered n > 1 times of n - 1 times the area. Made with Python
# 3.11 and Shapely 2.2.0:
#
#	python overlap.py > overlap.json
import json, math, random
from shapely.geometry import Polygon
from shapely.ops import unary_union

random.seed(41)


def star(x, y, size, n):
    angles = sorted(random.uniform(0, 2 * math.pi) for _ in range(n))
    ring = [[round(x + size * r * math.cos(a), 4), round(y + size * r * math.sin(a), 4)]
            for a, r in ((a, random.uniform(0.3, 1)) for a in angles)]
    if random.random() < 0.5:
        ring.reverse()
    return ring + ring[:1]


rows = []
while len(rows) < 40:
    parts = []
    for _ in range(random.randint(1, 4)):
        x, y = random.uniform(-4, 4), random.uniform(-4, 4)
        rings = [star(x, y, 2, random.randint(5, 40))]
        if random.random() < 0.3:
            rings.append(star(x, y, 0.3, 8))
        parts.append(rings)
    shapes = [Polygon(p[0], p[1:]) for p in parts]
    if not all(s.is_valid for s in shapes):
        continue
    union = unary_union(shapes).area
    twice = unary_union([a.intersection(b) for i, a in enumerate(shapes) for b in shapes[:i]]).area
    rows.append(dict(polygons=parts, once=union - twice, wrong=sum(s.area for s in shapes) - union))
print("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]")
