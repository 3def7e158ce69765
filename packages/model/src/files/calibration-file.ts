/** In a model's folder: how likely the model's decisions are right. It holds for these weights only. */
export const CALIBRATION_FILE = "calibration.json";
