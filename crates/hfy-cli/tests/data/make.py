"""Writes the files of this folder with NumPy and Pillow, so that the program is tested on files that it did not write itself."""

import numpy as np
from PIL import Image

table = np.array([[1.5, -2.0, 3.0], [4.0, 5.25, -6.0]])
np.save("half.npy", table.astype("<f2"))
np.save("single.npy", table.astype("<f4"))
np.save("double-big-endian.npy", table.astype(">f8"))
np.save("fortran.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4)).astype("<f4", order="F"))
np.save("integers.npy", np.array([[1, -2, 3], [4, 5, 1 << 40]], dtype="<i8"))
np.save("bytes.npy", np.array([[0, 127, 255]], dtype="u1"))
np.save("booleans.npy", np.array([[True, False], [False, True]]))
np.save("vector.npy", np.array([1.0, 2.0, 3.0]))
np.save("number.npy", np.array(7.0))
np.save("complex.npy", np.array([[1j]]))
np.savez_compressed("several.npz", first=table, second=10 * table)

ramp = np.tile(np.linspace(0, 255, 16), (8, 1)).astype("u1")
Image.fromarray(ramp).save("ramp.png")
Image.fromarray(ramp).save("ramp.jpg", quality=95)
Image.fromarray((np.tile(np.linspace(0, 65535, 16), (8, 1))).astype("<u2")).save("ramp16.png")
colours = np.zeros((1, 4, 3), "u1")
colours[0] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
Image.fromarray(colours).save("colours.png")
Image.fromarray(colours).convert("RGBA").save("alpha.png")
Image.fromarray(colours).convert("P", palette=Image.Palette.ADAPTIVE).save("palette.png")
Image.fromarray(np.repeat(np.repeat(colours, 16, 0), 16, 1)).save("colours.jpg", quality=95)
